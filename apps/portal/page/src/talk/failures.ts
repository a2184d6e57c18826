/** What may be done after a failure, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  BUDGET_EXCEEDED: 'Whoever set the budget raises it, or lets the being try again.',
  CANCELLED: 'Somebody cancelled the call. Say it again to go on.',
  FORBIDDEN:
    'Its role, or a rule, does not allow this. “What would have had to be otherwise” on its moment says what is missing.',
  INVALID_INPUT: 'It called something in a way that cannot be. Say more exactly what you want.',
  LLM_FAILED: 'Its model did not answer. Say it again; if that fails too, look at the health page.',
  LLM_NOT_CONFIGURED: 'No model is configured for it. The operator does that before the next start.',
  LLM_TIMEOUT: 'Its model took too long. Say it again, or ask for less at once.',
  NO_ANSWER: 'Its model wrote nothing that could be used. Say it again, or give its role clearer words.',
  OVERLAY_LOST: 'The overlay of this call was lost with its portal. Send it again with its overlay.',
  RATE_LIMITED: 'It was asked too often. Wait a minute, then say it again.',
  RESOURCE_CONFLICT: 'Something changed meanwhile. Say it again.',
  ROLE_UNAVAILABLE: 'Its flow gives it no role for this. Look at its flow.',
  SERVICE_UNAVAILABLE: 'Something that it needs is away. Say it again later.',
  TIMEOUT: 'It took too long. Say it again.',
}
const NO_ADVICE = 'Open its moment to see why.'

/** What to do after a failure. @param code null where it has none */
export const adviceOn = (code: string | null): string => ADVICE[code ?? ''] ?? NO_ADVICE
