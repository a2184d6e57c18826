import { canonicalJson, type JsonObject } from './json.ts'
import type { Wake } from './wake.ts'

/** How one field of a wake is kept. */
interface WakeField {
  /** of the table `inbox`; of a caller the column of its name */
  readonly column: string
  /** form of the column, where it is not the value of the field */
  readonly form?: 'caller' | 'hash' | 'json'
  /** the value that the column has where the field is left out; without it, the field is always there */
  readonly leftOut?: null | 0 | boolean
  /** false: the open record of a moment does not hold it with the wake */
  readonly recorded?: false
  /** its name in the fact of a summon; without it, the fact does not tell it */
  readonly said?: string
}

/**
 * The fields of a wake. What writes wakes into inboxes, reads and copies them, records them and compares them
 * with what was said follows from this list. A new field takes a line here and in {@link Wake}, a column in
 * `tables.sql` and `write-inbox.sql`, and its use.
 */
export const WAKE_FIELDS = {
  id: { column: 'id', said: 'correlation' },
  being: { column: 'being', recorded: false, said: 'to' },
  kind: { column: 'kind' },
  priority: { column: 'priority' },
  caller: { column: 'caller', form: 'caller' },
  content: { column: 'content', form: 'json', recorded: false, said: 'content' },
  root: { column: 'root', said: 'root' },
  inReplyTo: { column: 'in_reply_to', said: 'inReplyTo' },
  askedRole: { column: 'asked_role' },
  hops: { column: 'hops' },
  continues: { column: 'continues' },
  cause: { column: 'cause', form: 'hash' },
  answers: { column: 'answers', leftOut: null, recorded: false }, // the record holds it beside the wake
  refusals: { column: 'refusals', leftOut: 0 },
  expectReply: { column: 'expect_reply', leftOut: true, said: 'expectReply' },
  channel: { column: 'channel', leftOut: null, recorded: false, said: 'channel' },
  overlay: { column: 'overlay', leftOut: null, recorded: false },
  outside: { column: 'outside', leftOut: false, said: 'outside' },
  orientation: { column: 'orientation', leftOut: null, said: 'orientation' },
} as const satisfies { readonly [Field in keyof Required<Wake>]: WakeField }

/** Each field with how it is kept. */
export const wakeFields = Object.entries(WAKE_FIELDS) as readonly (readonly [keyof Wake, WakeField])[]

type UnrecordedField = {
  [Field in keyof typeof WAKE_FIELDS]: (typeof WAKE_FIELDS)[Field] extends { recorded: false } ? Field : never
}[keyof typeof WAKE_FIELDS]

/** What an open record says of the wake of its moment. */
export type WakeRecord = Omit<Wake, UnrecordedField>

/** @param wake may have more fields, such as those of an inbox entry */
export const wakeRecordOf = (wake: Wake): WakeRecord =>
  Object.fromEntries(
    wakeFields
      .filter(([field, { recorded }]) => recorded !== false && wake[field] !== undefined)
      .map(([field]) => [field, wake[field]]),
  ) as unknown as WakeRecord

/** What the fact of a summon tells of its wake. */
export const speechOf = (wake: Wake): JsonObject => ({
  ...(Object.fromEntries(
    wakeFields.flatMap(([field, { said }]) =>
      said === undefined || wake[field] === undefined ? [] : [[said, wake[field]]],
    ),
  ) as JsonObject),
  role: wake.caller?.role ?? null,
  cognition: wake.caller?.cognition ?? null,
})

/** Names of what {@link speechOf} tells; the fact tells more, such as the thread that the call named. */
const SAID = [...wakeFields.flatMap(([, { said }]) => said ?? []), 'role', 'cognition']

/** Whether the fact of a summon tells the wake as it is. */
export function isAsSaid(wake: Wake, said: JsonObject): boolean {
  const told = speechOf(wake)
  return SAID.every((name) => canonicalJson(told[name] ?? null) === canonicalJson(said[name] ?? null))
}
