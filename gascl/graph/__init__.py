"""The graph on the host: edges, arcs in both orders, fields, labels. No OpenCL here."""
