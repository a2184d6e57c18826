import type { Generated, GeneratedAlways } from 'kysely'

/** Row types of the schema `treeos`, one interface for each table of `tables.sql`. */
export interface StoreDb {
  reality: RealityTable
  head: HeadTable
  fact: FactTable
  journal: JournalTable
  projection: ProjectionTable
  watch: WatchTable
  delayed: DelayedTable
  held_change: HeldChangeTable
  change_reader: ChangeReaderTable
  change_author: ChangeAuthorTable
  account: AccountTable
  allowance: AllowanceTable
  reservation: ReservationTable
  parking: ParkingTable
  lease: LeaseTable
  token: TokenTable
  blob: BlobTable
  life: LifeTable
  inbox: InboxTable
  moment_open: MomentOpenTable
  moment_decision: MomentDecisionTable
  moment_effect: MomentEffectTable
  held_count: HeldCountTable
  moment_fault: MomentFaultTable
  replay_run: ReplayRunTable
  moment_outcome: MomentOutcomeTable
  mind_call: MindCallTable
  vault: VaultTable
  worker: WorkerTable
  overlay: OverlayTable
  overlay_change: OverlayChangeTable
  sealed_text: SealedTextTable
  file: FileTable
  log_entry: LogEntryTable
  log_tile: LogTileTable
  log_state: LogStateTable
  restore: RestoreTable
}

/** The key of a sealed text, and what finds it. */
export interface SealedTextTable {
  id: string
  being: string
  /** whose moment may make a thing of it; null once a thing holds it */
  wake: string | null
  at: Generated<Date>
  key: Buffer
  /** a tsvector */
  words: string
  /** an array of `treeos.note_vector`, as text */
  vectors: Generated<string>
}

/** The bytes of a file, for the thing of the same id. */
export interface FileTable {
  id: string
  /** who gave it */
  being: string
  /** sha256 of its bytes, in hex */
  digest: string
  media_type: string
  size: number
  bytes: Buffer
  at: Generated<Date>
}

/** Which server of Postgres the record was on. Only functions of the database write it. */
export interface RestoreTable {
  n: GeneratedAlways<number>
  at: Generated<Date>
  why: string
  server: string
  timeline: number
  lives: number
}

export interface RealityTable {
  singleton: Generated<boolean>
  id: Generated<string>
  name: string
  time_zone: string
  /** null: one of its own, by its name */
  task_queue: string | null
  created_at: Generated<Date>
}

export interface HeadTable {
  reel: string
  seq: number
  hash: Buffer
  /** seq of the last fact that changed state others rely on; speech changes none */
  state_seq: number
  /** of the reel of a being's records: the wake that a moment claimed last */
  claimed: string | null
  /** of the reel of a being's records: until then its run looks for wakes by itself; null otherwise */
  listens_until: Date | null
  /** when a change of the reel last woke somebody */
  woke_at: Date | null
}

export interface FactTable {
  reel: string
  seq: number
  kind: string
  moment: string | null
  hash: Buffer
  prev: Buffer
  payload_hash: Buffer
  header: Buffer
  /** of the payload; null once it was erased */
  salt: Buffer | null
  /** the payload, as canonical JSON; null once it was erased */
  bytes: Buffer | null
}

/** One entry for each append. The order is that of the appends, except where two ran at once. */
export interface JournalTable {
  entry: GeneratedAlways<number>
  /** the moment that ended with the append; null where none did */
  moment: string | null
  /** reel and seq of each fact, in their order in the append */
  reels: string[]
  seqs: number[]
}

/** A cache of the fold of one reel. The registry has one row for each role. */
export interface ProjectionTable {
  key: string
  reel: string
  /** canonical JSON */
  state: string
  folded_seq: number
  /** the space a row lies in, or the stance of the being that holds it */
  place: string | null
  /** the maker of a being */
  parent: string | null
  cognition: string | null
  /** `scheduling`: a being whose state may hold a schedule; `asked`: a call that may wait for a yes */
  found_as: GeneratedAlways<string | null>
}

/** Which being is woken by a change of which path. */
export interface WatchTable {
  being: string
  /** a reel, or a scope of changes */
  reel: string
  /** dotted, within the values of the reel's row; empty for all values */
  path: string
  /** of the subscription; empty where a flow reads the path */
  name: Generated<string>
  equals: unknown
  priority: number | null
  coalesce_seconds: Generated<number>
}

/** Changes of a reel that woke somebody less than a second ago. */
export interface HeldChangeTable {
  id: GeneratedAlways<number>
  reel: string
  due: Date
  change: unknown
}

/** When changes last woke a being. */
export interface ChangeReaderTable {
  being: string
  woken_at: Date
}

/** From when on what the beings of a person change may wake one more being of others. */
export interface ChangeAuthorTable {
  person: string
  free_at: Date
}

/** Wakes that wait for more changes, one a being. */
export interface DelayedTable {
  being: string
  due: Date
  id: string
  priority: number
  content: Buffer
  root: string
  hops: number
  cause: Buffer | null
  /** how many changes the wake stands for */
  times: Generated<number>
  outside: Generated<boolean>
  /** it waits for its place among those that its author wakes */
  paced: Generated<boolean>
}

/** What a being with a budget and all its offspring may use, and have used. */
export interface AccountTable {
  being: string
  /** number of changes of the budget */
  revision: number
  moments_max: number | null
  tokens_max: number | null
  /** millionths of the currency, as all micros */
  micros_max: number | null
  per: 'day' | 'total'
  /** the day that the counts of a day belong to */
  day: Date | null
  day_tokens: Generated<number>
  day_micros: Generated<number>
  total_tokens: Generated<number>
  total_micros: Generated<number>
  /** the part of these counts that calls under way have reserved */
  reserved_tokens: Generated<number>
  reserved_micros: Generated<number>
  minute: Date | null
  minute_moments: Generated<number>
  /** the day of what it drew of its person's allowance */
  drawn_day: Date | null
  drawn_tokens: Generated<number>
}

/**
 * What the beings of a person drew together of the tokens that the standard budget allows each person a day.
 */
export interface AllowanceTable {
  person: string
  day: Date
  drawn_tokens: number
}

/** The most that one attempt of a model call can cost, and what it did cost. */
export interface ReservationTable {
  moment: string
  attempt: number
  day: Date
  accounts: string[]
  tokens: number
  micros: number
  at: Generated<Date>
  settled_tokens: number | null
  settled_micros: number | null
  settled_at: Date | null
  unsure: Generated<boolean>
}

/** Beings that wait because they met a limit. */
export interface ParkingTable {
  being: string
  /** the being whose budget has the limit, and the revision of that budget */
  of: string
  revision: number
  until: Date | null
}

/** Which being drives another, and until when. */
export interface LeaseTable {
  being: string
  driver: string
  /** that of the fact that took the lease; no later lease has the same */
  epoch: number
  /** epoch of the lease on the driver itself, if another being drove it when it took this lease */
  under: number | null
  expires: Date
}

/** Access tokens, by which a person's program acts as one being. */
export interface TokenTable {
  id: string
  being: string
  /** sha256; the secret itself is not stored */
  secret_hash: Buffer
  issued_by: string
  issued_at: Date
  expires_at: Date
  revoked_at: Date | null
}

export interface BlobTable {
  digest: string
  bytes: Buffer
}

export interface LifeTable {
  being: string
  generation: number
  /** first run id of the Temporal execution chain */
  chain: string
  begun_at: Generated<Date>
}

export interface InboxTable {
  id: string
  being: string
  kind: 'summon' | 'act' | 'event'
  priority: number
  age: GeneratedAlways<number>
  at: Generated<Date>
  caller: string | null
  caller_role: string | null
  caller_cognition: string | null
  content: Buffer
  root: string
  in_reply_to: string | null
  asked_role: string | null
  hops: Generated<number>
  continues: Generated<number>
  cause: Buffer | null
  /** the wake that a being goes on from */
  answers: string | null
  /** the wake for which its being goes on by it, or for which its sender asks; null for any other wake */
  about: string | null
  /** what tells the being that asked that no answer comes; null while one may, and for what asks nothing */
  let_go: string | null
  refusals: Generated<number>
  expect_reply: Generated<boolean>
  channel: string | null
  /** handle of text in a vault */
  overlay: string | null
  /** of its hash in `sent` of the moment that sent it; null when none did, or once its content is erased */
  salt: Buffer | null
  /** true: something was erased while it was open, which the face of its moment may show */
  erased_since: boolean | null
  claimed_by: string | null
  closed_by: string | null
  closed_at: Date | null
  /** what notices to one person must share to be one entry; null for anything but a notice */
  notice: string | null
  /** how many notices this entry stands for */
  times: Generated<number>
  /** when the last of them came; null while there is one */
  latest: Date | null
  /** of an act: which login of Postgres put it there */
  login: string | null
  outside: Generated<boolean>
  orientation: string | null
}

export interface MomentOpenTable {
  moment: string
  being: string
  n: number
  wake: string
  opened_at: number
  record: Buffer
  basis: Buffer
  face: string | null
  /** true: stored before the moment had an outcome; null: stored together with it */
  early: boolean | null
}

export interface MomentDecisionTable {
  moment: string
  kind: string
  digest: string
  salt: Buffer
  bytes: Buffer
  usage: unknown
  /** the overlay of the call: tiers, mode and commitment; null without one */
  overlay: unknown
  /** digest of what its model was shown; null where none was asked, or its moment ended at once */
  prompt: string | null
}

/** Which process makes the call of a mind that takes longer than the short way allows. */
export interface MindCallTable {
  moment: string
  worker: string
  expires: Date
}

/** What an act asks of the outside world before it is stamped, and the result. */
export interface MomentEffectTable {
  moment: string
  operation: string
  /** canonical JSON */
  request: Buffer
  /** canonical JSON; null until there is a result */
  result: Buffer | null
  /** of the digests in the moment's record */
  salt: Generated<Buffer>
}

export interface HeldCountTable {
  reel: string
  moment: string
  /** canonical JSON */
  payload: Buffer
}

/** Errors of attempts, for people; not hashed, may be erased. */
export interface MomentFaultTable {
  moment: string
  part: 'model' | 'script' | 'decide' | 'effect' | 'stack'
  attempt: number
  at: Generated<Date>
  /** how long the attempt took */
  seconds: number
  message: string
  stack: string | null
  /** of `stack`: {recorded, given}, the digests of both stacks */
  differs: unknown
}

export interface ReplayRunTable {
  id: GeneratedAlways<number>
  login: Generated<string>
  record: 'chain' | 'temporal' | 'both'
  begun_at: Date
  ended_at: Generated<Date>
  newest: string | null
  moments: number
  differences: number
  accepted: number
  elsewhere: number
  differing: string[]
}

export interface MomentOutcomeTable {
  moment: string
  being: string
  n: number
  kind: 'act' | 'see' | 'failure' | 'skipped' | 'waiting'
  reason: string | null
  wake: string | null
  sealed_at: number
  primary_role: string | null
  prev: Buffer
  hash: Buffer
  record: Buffer
  /**
   * canonical JSON: seq by reel of the heads that its call was judged from and its basis has not; null
   * without any
   */
  judged: Buffer | null
  /** canonical JSON: ids and salted hashes of what it sent and closed; null for nothing */
  sent: Buffer | null
  /** canonical JSON: the answer to the asker of an act; not hashed, may be erased */
  result: string | null
  /** a message that no fields tell, for people; not hashed, may be erased */
  detail: string | null
  /** canonical JSON: the fields of a refusal with their salt; its digest is in the record; may be erased */
  refusal: Buffer | null
}

/** Where the vault of a worker listens. It holds text in memory only. */
export interface VaultTable {
  id: string
  url: string
  expires: Date
}

/** A worker that takes moments, until it expires. */
export interface WorkerTable {
  id: string
  /** JSON: by extension, `{version, digest, code}` */
  codes: unknown
  started: Generated<Date>
  expires: Date
}

/** Overlays that stay: the only table that holds the text of any. */
export interface OverlayTable {
  tier: 'channel' | 'workspace' | 'account'
  /** the channel's name, `reality`, or the being of a person */
  scope: string
  /** for people */
  name: string
  content: string
  /** names of Signatures; null: the entry Signature */
  applies: string[] | null
  set_by: string
  set_at: Generated<Date>
}

/** That the overlay of a thread changed. The text is in a vault. */
export interface OverlayChangeTable {
  id: GeneratedAlways<number>
  thread: string
  tier: Generated<'thread'>
  /** null: it was taken away */
  commitment: string | null
  handle: string | null
  by: string
  at: Generated<Date>
}

/** The log of all facts and records, in the order in which the sequencer found them. */
export interface LogEntryTable {
  /** from 0 without gaps */
  index: number
  /** `moments:<being>` for the record of a moment */
  reel: string
  seq: number
  hash: Buffer
}

export interface LogTileTable {
  level: number
  index: number
  /** up to 256 hashes, one after the other */
  hashes: Buffer
}

export interface LogStateTable {
  singleton: Generated<boolean>
  /** number of entries of the log */
  size: Generated<number>
  /** the last entry of the journal that is in the log; 0 before the first */
  journal: Generated<number>
}
