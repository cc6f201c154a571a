package declared

// Metric is a gauge that shows a field of the status of each parent, with the labels namespace and name.
type Metric struct {
	// Name is unique in the process, such as shop_orders.
	Name string
	// Path leads to the field, such as .status.orders: a number, a boolean (1 or 0), a quantity or a
	// time (in seconds since 1970). A parent whose field is not set has no gauge: the field is nil, or is
	// zero and left out of the JSON of its Go type.
	Path string
	// Help says what the gauge shows.
	Help string
}
