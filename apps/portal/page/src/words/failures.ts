import { t } from '../language/index.ts'

interface FailureAdvice {
  /** to who asked, where one moment failed */
  readonly one: string
  /** to who looks after many, where several failed so */
  readonly many: string
}

/** What may be done after a failure, by its code. */
const ADVICE: Readonly<Record<string, FailureAdvice>> = {
  BUDGET_EXCEEDED: {
    one: t('Whoever set the budget raises it, or lets the being try again.'),
    many: t('A budget is used up. Raise its limit, or wait for the next day.'),
  },
  CANCELLED: {
    one: t('Somebody cancelled the call. Say it again to go on.'),
    many: t('Somebody stopped them, or their thread was cut.'),
  },
  FORBIDDEN: {
    one: t(
      'Its role, or a rule, does not allow this. “What would have had to be otherwise” on its moment says what is missing.',
    ),
    many: t(
      'Each names the list or rule that refused. Widen the role or the rule, or say in the prompt what the role may not do.',
    ),
  },
  INVALID_INPUT: {
    one: t('It called something in a way that cannot be. Say more exactly what you want.'),
    many: t('They call something in a way that cannot be. Say in the prompt how it is called.'),
  },
  LLM_FAILED: {
    one: t('Its model did not answer. Say it again; if that fails too, look at the health page.'),
    many: t('The model answered with an error. Look at its provider, its key and its limits.'),
  },
  LLM_NOT_CONFIGURED: {
    one: t('No model is configured for it. The operator does that before the next start.'),
    many: t('No model is connected. Set one and start again, or give these beings a script.'),
  },
  LLM_TIMEOUT: {
    one: t('Its model took too long. Say it again, or ask for less at once.'),
    many: t('The model took too long. Look at its provider, or give these beings another model.'),
  },
  NO_ANSWER: {
    one: t('Its model wrote nothing that could be used. Say it again, or give its role clearer words.'),
    many: t(
      'The model wrote words and called no tool. Let its words be its answer, in the role under “Words without an act”.',
    ),
  },
  OVERLAY_LOST: {
    one: t('The overlay of this call was lost with its portal. Send it again with its overlay.'),
    many: t('Their overlays were lost with a portal. Who sent them sends them again.'),
  },
  RATE_LIMITED: {
    one: t('It was asked too often. Wait a minute, then say it again.'),
    many: t('Too much at once. Give these beings fewer wakes, or a higher limit.'),
  },
  RESOURCE_CONFLICT: {
    one: t('Something changed meanwhile. Say it again.'),
    many: t('They write what others write at the same time. Let one of them do it.'),
  },
  ROLE_UNAVAILABLE: {
    one: t('Its flow gives it no role for this. Look at its flow.'),
    many: t('No role fits. Give these beings a default role.'),
  },
  SERVICE_UNAVAILABLE: {
    one: t('Something that it needs is away. Say it again later.'),
    many: t('Something that they need is away. Look at what they called.'),
  },
  TIMEOUT: {
    one: t('It took too long. Say it again.'),
    many: t('It took longer than allowed. Look at what it called.'),
  },
}
/**
 * What to do about a model that refused, by the words in which a worker tells why. To say the same again would
 * not help with any of them.
 */
const MODEL_REFUSALS: readonly (readonly [told: RegExp, advice: FailureAdvice])[] = [
  [
    /quota or credit left/,
    both(
      t('The account of its model has no credit left. The operator pays in more, or names another model.'),
    ),
  ],
  [
    /prompt is longer than|cut the prompt/,
    both(
      t(
        'Its prompt is too long for its model. Shorten the prompt of its role or what was said, or name a model that takes more.',
      ),
    ),
  ],
  [
    /\btakes no tools\b/,
    both(
      t(
        'Its model or the server of it takes no tools. The operator turns them on there, or names another model.',
      ),
    ),
  ],
  [
    /\b401\b/,
    both(
      t(
        'The server of its model refused the key. The operator sets a right one, and starts the workers again.',
      ),
    ),
  ],
  [
    /\b403\b/,
    both(
      t('The key may not use this model. The operator changes what the key may use, or names another model.'),
    ),
  ],
  [
    /\b404\b/,
    both(t('The server knows no such model. The operator checks its name and the address of the server.')),
  ],
  [
    /\b400\b/,
    both(t('Its model refused the request. Look whether it can call tools, and shorten the prompt.')),
  ],
  [
    /request to the model could not be sent/,
    both(t('The request could not be sent. The operator checks the address of the model and its key.')),
  ],
]

function both(advice: string): FailureAdvice {
  return { one: advice, many: advice }
}

const NO_ADVICE: FailureAdvice = {
  one: t('Open its moment to see why.'),
  many: t('Open the newest to see why.'),
}

/**
 * The one right thing to do after a failure.
 * @param code null where it has none
 * @param message what is recorded of it
 */
export function adviceOnFailure(code: string | null, message: string | null): FailureAdvice {
  const refusal = code === 'LLM_FAILED' && MODEL_REFUSALS.find(([told]) => told.test(message ?? ''))
  if (refusal) return refusal[1]
  return code !== null && Object.hasOwn(ADVICE, code) ? (ADVICE[code] ?? NO_ADVICE) : NO_ADVICE
}
