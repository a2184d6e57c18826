import { type Caller, type Cognition, type Json, type Notice, type Wake, wakeFields } from '@treeos/core'
import type { Selectable } from 'kysely'
import type { InboxTable } from '../sql/schema.ts'
import { decodeJson, encodeJson } from '../sql/stored-json.ts'

type WakeRow = Selectable<InboxTable>
type Columns = Record<string, Json>

const bytea = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`

/** How a field is written into its column, and read again; other fields are their columns. */
const FORMS = {
  caller: {
    write: (caller: Caller | null): Columns => ({
      caller: caller?.name ?? null,
      caller_role: caller?.role ?? null,
      caller_cognition: caller?.cognition ?? null,
    }),
    read: ({ caller: name, caller_role: role, caller_cognition }: WakeRow): Caller | null =>
      name === null ? null : { name, role, cognition: caller_cognition as Cognition },
  },
  hash: {
    write: (cause: string | null): Columns => ({
      cause: cause === null ? null : bytea(Buffer.from(cause, 'hex')),
    }),
    read: ({ cause }: WakeRow): string | null => cause?.toString('hex') ?? null,
  },
  json: {
    write: (content: Json): Columns => ({ content: bytea(encodeJson(content)) }),
    read: ({ content }: WakeRow): Json => decodeJson(content),
  },
}

/** A wake by the columns of the table `inbox`, as SQL functions take it. */
export function encodeWake(wake: Wake | Notice): Columns {
  const columns: Columns = { notice: 'notice' in wake ? wake.notice : null }
  for (const [field, { column, form, leftOut }] of wakeFields) {
    const value = wake[field] as Json | undefined
    if (form === undefined) columns[column] = value ?? leftOut ?? null
    else Object.assign(columns, FORMS[form].write(value as never))
  }
  return columns
}

/** The wake that a row of an inbox holds. */
export function wakeOf(row: WakeRow): Wake {
  const wake: Record<string, unknown> = {}
  for (const [field, { column, form, leftOut }] of wakeFields) {
    const value = form === undefined ? row[column as keyof WakeRow] : FORMS[form].read(row)
    if (leftOut === undefined || value !== leftOut) wake[field] = value
  }
  return wake as unknown as Wake
}
