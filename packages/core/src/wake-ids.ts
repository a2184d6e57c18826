import type { Wake } from './wake.ts'

const NAME = '[a-z][a-z0-9-]{0,31}'
const MOMENT = `${NAME}/\\d+/\\d+`
/** The being that the wake wakes. */
const ME = `(?<me>${NAME})`
const [PART, ANY] = ['[^/]+', '[\\s\\S]+']

/**
 * What follows the first part of the id of an event, by that part. TreeOS writes no other event into an inbox that opens a moment: `asked`
 * is for persons to read. A new one takes a line here, in the other verifier (clients/python-verify) and in docs/formats.md, and the guard
 * in `is-sent.sql` that lets it be sent.
 */
const EVENTS: Readonly<Record<string, string>> = {
  'continue|look|refused|read|approved|denied|expired|idle': `${ME}/\\d+/\\d+`,
  schedule: `${ME}/${PART}/${PART}`,
  change: `(?:${MOMENT}|[0-9a-f]{64})/${ME}`,
  'awakened|notice': `${MOMENT}/${ME}`,
  parked: MOMENT,
  'spent|looked|repeated': `${NAME}/${ANY}`,
  'chain-spent|unanswered': ANY,
}

const FORMS: Readonly<Record<Wake['kind'], readonly RegExp[]>> = {
  act: [/^act\/[^/]+$/],
  // of the moment that spoke, or what follows `act/` of the act that did
  summon: [new RegExp(`^(?:${MOMENT}|${PART})$`)],
  event: Object.entries(EVENTS).map(([words, rest]) => new RegExp(`^(?:${words})/${rest}$`)),
}

/** Whether the id of a wake is one that its kind may have, for this being. */
export const isWakeId = ({ kind, id }: Pick<Wake, 'kind' | 'id'>, being: string): boolean =>
  FORMS[kind].some((form) => {
    const found = form.exec(id)
    return found !== null && (found.groups?.me ?? being) === being
  })
