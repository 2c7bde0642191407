"""The language of vertex programs: `VertexProgram`, its declarations, its snippets, the checks."""
