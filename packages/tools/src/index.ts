/**
 * Outside MCP servers: their tools become operations of generated extensions. What talks to servers is behind
 * the door `./servers`.
 */
export { ACCEPT, acceptance, acceptedOn } from './acceptance.ts'
export {
  changesBetween,
  type Definitions,
  digestOfTool,
  digestsOf,
  type ToolChange,
  type ToolDefinition,
  type ToolList,
} from './definition.ts'
export { type CallTool, type ToolCall, toolExtensions } from './extension.ts'
export {
  parseServer,
  readsOf,
  readToolsFile,
  type ServerEntries,
  type ServerEntry,
  secretsFor,
  writeToolsFile,
} from './file.ts'
