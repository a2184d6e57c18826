/** What Postgres stores and no fact says anything about. docs/records.md says the same. */

const OF_LOG = 'made from the chains; `treeos checkpoint` compares it with them'

/** Tables of which no column is evidence, and why. */
export const NO_EVIDENCE: Readonly<Record<string, string>> = {
  change_author: 'how many wakes of others a person has used up',
  change_reader: 'when changes last woke a being',
  delayed: 'wakes that are not delivered yet',
  held_change: 'changes that nobody was told of yet',
  held_count: 'places among the acts that a rule counts, until the facts that count them',
  journal: 'the order in which readers get what the chains hold',
  log_entry: OF_LOG,
  log_state: OF_LOG,
  log_tile: OF_LOG,
  mind_call: 'calls under way',
  moment_fault: 'errors of attempts, for people',
  overlay: 'text for calls; the records of moments hold commitments to it',
  overlay_change: 'commitments to text that is not stored',
  allowance: 'what the beings of a person have drawn, which bounds what calls may cost',
  file: 'bytes that the chains name by digest',
  replay_run: 'what replays found, which any replay finds again',
  reservation: 'what calls may cost',
  restore: 'where the record was when it was restored',
  sealed_text: 'keys of texts that the chains hold sealed, and what finds them',
  token: 'credentials: what was done with one is moments and facts',
  vault: 'where workers listen',
  worker: 'which workers live, and the code that each has loaded',
}

/**
 * Columns of other tables that no fact says anything about: counters, times of arrival, and what only tells
 * of delivery.
 */
export const NOT_EVIDENCE: readonly string[] = [
  ...['detail', 'result'].map((name) => `moment_outcome.${name}`),
  'lease.expires',
  'life.chain',
  'moment_open.early',
  'life.begun_at',
  'reality.singleton',
  'reality.task_queue',
  'reality.created_at',
  ...[
    'day',
    'day_tokens',
    'day_micros',
    'total_tokens',
    'total_micros',
    'reserved_tokens',
    'reserved_micros',
    'drawn_day',
    'drawn_tokens',
  ].map((name) => `account.${name}`),
  ...['minute', 'minute_moments'].map((name) => `account.${name}`),
  ...['usage', 'overlay', 'prompt'].map((name) => `moment_decision.${name}`),
  ...['age', 'at', 'overlay', 'claimed_by', 'closed_by', 'closed_at'].map((name) => `inbox.${name}`),
  ...['notice', 'times', 'latest', 'erased_since'].map((name) => `inbox.${name}`),
]
