
/* No cell of a row that has outputs is unknown. */
static void find_widths(const double *row, double *outputs, double *width) { find_known_widths(row, outputs, width); }
