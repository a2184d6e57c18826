import {
  asJson,
  type BeingName,
  type Fact,
  isJsonObject,
  type Json,
  LOOK_PREFIX,
  type Wake,
  wakeFields,
  wakeRecordOf,
} from '@treeos/core'
import { type Db, findOpen, type InboxEntry, type OpenRecord } from '@treeos/store'
import { changeContent } from '@treeos/world'
import type { Comparison } from './comparison.ts'
import type { Past } from './past.ts'

/** Start of the id of a wake by change; the moment that changed it and the being that is woken follow. */
const CHANGE_PREFIX = 'change/'

interface Woken {
  readonly being: BeingName
  readonly open: OpenRecord
  /** null when its inbox row is gone */
  readonly entry: InboxEntry | null
}

/** Compares sender, target, correlation, thread and content of a wake with the fact that caused it. */
export async function compareWake(
  { db, past }: { readonly db: Db; readonly past: Past },
  woken: Woken,
  caused: ReadonlyMap<string, Fact>,
  compare: Comparison,
): Promise<void> {
  const { wake } = woken.open
  compareEntry(woken, compare)
  if (wake.kind === 'event' && wake.id.startsWith(LOOK_PREFIX)) return compareLook(db, woken.open, compare)
  if (wake.kind === 'summon') return compareSummon(past, woken, compare)
  if (wake.kind === 'event' && wake.id.startsWith(CHANGE_PREFIX)) compareChange(woken, caused, compare)
}

/** The inbox must hold the wake that the moment opened with. One whose thread was cut may have opened a thread of its own. */
function compareEntry({ being, open: { wake }, entry }: Woken, compare: Comparison): void {
  if (entry === null) return
  const root = wake.root === entry.id ? entry.id : entry.root
  compare.same('inbox', { being, ...wake }, { being: entry.being, ...wakeRecordOf({ ...entry, root }) })
}

async function compareSummon(past: Past, { being, open, entry }: Woken, compare: Comparison): Promise<void> {
  const { wake, caller } = open
  if (caller === null || wake.cause === null) return compare.differ('caller', asJson(caller), null)
  const cause = await past.find(`being:${caller.name}`, wake.cause)
  if (cause === undefined) return compare.differ('caller', asJson(caller), null)
  compare.same('caller', caller.name, cause.header.actor)
  const said = cause.payload
  if (said === null) {
    const { reel, seq } = cause.header // when it was erased, only who spoke is left
    if ((await past.erasures()).ofFact(reel, seq) === undefined) compare.differ('caused by', wake.cause, null)
    return
  }
  const { role = null, cognition = null } = said
  compare.same('caller', { ...caller }, { name: cause.header.actor, role, cognition })
  const lived: Partial<Wake> = { ...entry, ...wake, being } // the open record does not hold all of it
  for (const [field, { said: name, leftOut = null }] of wakeFields)
    if (name !== undefined) compare.same(field, lived[field] ?? leftOut, said[name] ?? leftOut)
}

function compareChange({ open, entry }: Woken, caused: ReadonlyMap<string, Fact>, compare: Comparison): void {
  const cause = caused.get(open.wake.cause ?? '')
  if (cause === undefined) compare.differ('cause', open.wake.cause, null)
  if (cause === undefined || cause.payload === null) return
  const { header, payload } = cause
  const told = changeContent({ reel: header.reel, kind: header.kind, payload }, header.actor)
  compare.same('content', firstOf(entry?.content ?? null), told)
}

/** A wake that stands for several changes tells of the first one, and how many they are. */
function firstOf(content: Json): Json {
  if (!isJsonObject(content)) return content
  const { changes: _changes, summary: _summary, ...first } = content
  return first
}

/** Compares what a look's wake keeps with the moment that looked: its caller, its thread, and what it goes on from. */
async function compareLook(db: Db, open: OpenRecord, compare: Comparison): Promise<void> {
  const looked = (await findOpen(db, open.wake.id.slice(LOOK_PREFIX.length)))?.record ?? null
  compare.same('caller', open.caller, looked?.caller ?? null)
  compare.same('answers', open.answers, looked === null ? null : (looked.answers ?? looked.wake.id))
  compare.same('looks', open.wake.looks ?? 0, (looked?.wake.looks ?? 0) + 1)
}
