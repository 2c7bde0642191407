"""The language of vertex programs: `VertexProgram`, its declarations and snippets, their checks."""
