import pg from 'pg'
import type { ProvingClient } from './proving-client.ts'

/** A pool whose connections are all of a class that makes servers prove themselves. */
export const openPool = (config: Omit<pg.PoolConfig, 'Client'>, Client: typeof ProvingClient): pg.Pool =>
  new pg.Pool({ ...config, Client })

export const escapeIdentifier: (text: string) => string = pg.escapeIdentifier
export const escapeLiteral: (text: string) => string = pg.escapeLiteral

/** How `pg` reads values of a type. */
export const typeParserOf = (oid: number, format?: 'text' | 'binary') => pg.types.getTypeParser(oid, format)
