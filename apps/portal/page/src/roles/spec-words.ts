import { t } from '../language/index.ts'
import type { Spec } from './spec.ts'

const WAKES: Readonly<Record<string, string>> = {
  message: t('somebody speaks to it'),
  schedule: t('its schedule comes'),
  change: t('something changes that it watches'),
  idle: t('nothing happened for a while'),
}
const MINDS: Readonly<Record<string, string>> = {
  llm: t('a model'),
  human: t('a person'),
  scripted: t('a script'),
}

/** For each field how it reads as a sentence; null: it is as every role is, so there is nothing to say. */
const SENTENCES: Readonly<Record<string, (value: unknown) => string | null>> = {
  triggerOn: (value) => {
    const wakes = Array.isArray(value) ? value.map((one) => WAKES[String(one)] ?? String(one)) : []
    return wakes.length === 0
      ? t('Nothing wakes its wearer.')
      : t('Its wearer is woken when {{causes}}.', { causes: listed(wakes) })
  },
  requiredCognition: (value) =>
    value === null ? null : t('Only {{mind}} can wear it.', { mind: MINDS[String(value)] ?? String(value) }),
  selfContinue: (value) =>
    value === true
      ? t('After each act its wearer goes on by itself.')
      : value === 'until-answered'
        ? t('Its wearer goes on by itself until it has answered.')
        : null,
  steps: (value) =>
    t('For one question it takes at most {{count}} steps of its own.', { count: Number(value) }),
  forceToolCall: (value) =>
    value === true ? t('When asked, it has to act: words alone do not count.') : null,
  prose: (value) => (value === 'answers' ? t('What it writes without an act is its answer.') : null),
  respondMode: (value) => (value === 'none' ? t('It answers nobody.') : null),
  onAnswers: (value) => (value === 'all' ? t('Of others that it asks, it hears all before it acts.') : null),
  defaultOrientation: (value) =>
    value === 'half'
      ? t('It looks half at the world and half at itself.')
      : value === 'inward'
        ? t('It looks at itself, not at the world.')
        : null,
  views: (value) =>
    value === 'only' ? t('Of what is around it, its prompt holds only the views below.') : null,
  layout: (value) =>
    value === 'stable-first'
      ? t('Its prompt begins with what seldom changes, so that models can keep it.')
      : null,
}

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(SENTENCES),
  ...['name', 'description', 'prompt', 'canSee', 'canDo', 'canSummon', 'canBe', 'see', 'permissions'],
])

/**
 * What a role says of its wearer beside lists and prompt, in sentences; a field that has no sentence says
 * itself.
 */
export function sentencesOfRole(spec: Spec): string[] {
  const known = Object.entries(SENTENCES).flatMap(([field, say]) => {
    const sentence = spec[field] === undefined ? null : say(spec[field])
    return sentence === null ? [] : [sentence]
  })
  const others = Object.entries(spec)
    .filter(([field, value]) => !KNOWN.has(field) && value !== undefined && value !== null)
    .map(([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return [...known, ...others]
}

/** `a, b or c`. */
const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${t('or')} ${words.at(-1)}`
