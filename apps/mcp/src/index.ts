/** MCP at the edge: an outside model acts as one being, through the four verbs and under both gates. */

export type { ErrorListener } from '@treeos/client'
export { type Edge, type EdgeOptions, serveHttp } from './http.ts'
export { type McpOverHttp, openMcp } from './over-http.ts'
export { type StdioSession, serveStdio } from './stdio.ts'
