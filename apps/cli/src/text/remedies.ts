import { type ErrorCode, type RemedyTexts, type TreeosError, toldWith, withRemedy } from '@treeos/core'

/** For somebody at a terminal: commands. What prints them spells `treeos` as it can be called there. */
const WORDS: RemedyTexts = {
  'list-inbox': '`treeos inbox` lists them',
  'list-threads': '`treeos thread list` shows those that are not over',
  'list-overlays': '`treeos overlay list` lists them',
  'list-tokens': '`treeos token list` lists them',
  'list-roles': '`treeos role list` shows what is',
  'list-approvals': '`treeos approvals` lists it',
  'make-token': '`treeos token create STANCE` makes one',
  'start-worker': '`treeos up` starts one',
  'give-overlay': ({ tier }) =>
    tier === 'call'
      ? '`treeos summon STANCE TEXT --overlay TEXT` gives one'
      : '`treeos thread overlay ID TEXT` gives one',
  'find-receipt': '`treeos receipt @echo 3` finds it by its number',
  'look-at-moments': ({ of }) => `\`treeos moments ${of}\` shows it`,
  'explain-moment': ({ of, n }) => `\`treeos explain ${of} ${n}\` says why`,
  'answer-as': ({ of }) => `\`treeos inbox --as ${of}\` shows what waits there`,
  resume: ({ of }) => `\`treeos resume ${of}\` lets it go on`,
  'answer-entry': '`treeos reply` answers it, `treeos inbox dismiss` closes it without an answer',
  'decide-entry': '`treeos approve` and `treeos deny` answer it, `treeos inbox dismiss` puts it aside',
  'decide-call': ({ id }) => `\`treeos approve ${id}\` or \`treeos deny ${id}\` answers it`,
  unpark: ({ of }) =>
    `\`treeos do ${of} unpark-being\` lets it try again, \`treeos inbox dismiss\` closes the notice`,
}

/**
 * What mends an error whose record holds its code and its message alone. No error and no log has what a model
 * server said, because that may quote the prompt or the key. `doctor` makes a small call of its own, without
 * any being's prompt, and shows what the server says to it.
 */
const BY_CODE: Partial<Record<ErrorCode, string>> = {
  ACTION_NOT_SUPPORTED: '`treeos operations` lists them',
  LLM_FAILED: '`treeos doctor` makes a small call to the model, and shows what its server says',
}

/** The same error, with its remedy as a command. */
export function toldByCommandLine(error: TreeosError): TreeosError {
  const clause = BY_CODE[error.code]
  return withRemedy(clause === undefined ? error : toldWith(error, clause), WORDS)
}
