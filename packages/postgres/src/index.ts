/** The one way to connect to Postgres. Nothing else of ours imports `pg`, except for its types. */

export type { Connection as WireConnection, PoolConfig, QueryResult, Submittable } from 'pg'
export { escapeIdentifier, escapeLiteral, openPool, typeParserOf } from './pg.ts'
export { ProvingClient } from './proving-client.ts'
export { UnprovenServerError } from './unproven-server.ts'
export { isPostgresUrl, POSTGRES_URL_FORM } from './url.ts'
