import { type Attributes, type HrTime, SpanKind, type SpanStatus, SpanStatusCode } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { addressesOf, canonicalJson, type Decision, stanceOf, type VerbCall } from '@treeos/core'
import { spanIdOf, traceDigits, traceIdOf } from '@treeos/store'
import type { FailedAttempt, FinishedMoment } from './read-moments.ts'

/** What spans are made for. */
export interface SpanOptions {
  /** names the reality */
  readonly resource: Resource
  /** id of the reality: moments of two realities never share a trace */
  readonly reality: string
  /** puts what was heard and said on the spans, and messages of errors, which may quote it */
  readonly withContent: boolean
}

/**
 * The spans of one finished moment, by the conventions of OpenTelemetry for generative AI: `invoke_agent` for
 * the moment, `chat` for each call of its model and `execute_tool` for what it called.
 *
 * All ids follow from the thread and the moment. So a moment that is exported twice gives the same spans, and
 * no process has to remember a trace: a thread is one trace, and a moment is the parent of the moments that
 * it caused.
 */
export function spansOf(moment: FinishedMoment, options: SpanOptions): ReadableSpan[] {
  const { outcome, cause, thread } = moment
  const trace = traceIdOf(options.reality, thread ?? outcome.moment)
  const own = spanIdOf(options.reality, outcome.moment)
  const parent = cause === null ? null : spanIdOf(options.reality, cause)
  const make = (part: Part, span: string, of: string | null): ReadableSpan =>
    readableSpan(part, { trace, span, parent: of, resource: options.resource })
  const parts = [...callsOfModel(moment, options), ...callOfTool(moment, options)]
  return [
    make(agentPart(moment, options), own, parent),
    ...parts.map((part, i) => make(part, traceDigits(16, 'part', own, String(i)), own)),
  ]
}

/** A span without its ids. Times are in milliseconds since 1970 UTC. */
interface Part {
  readonly name: string
  readonly kind: SpanKind
  readonly from: number
  readonly to: number
  readonly attributes: Attributes
  /** a code or a message; null where nothing failed */
  readonly error: string | null
}

function agentPart({ outcome, open, thread }: FinishedMoment, { withContent }: SpanOptions): Part {
  const { being, record, kind, reason, detail, moment, n } = outcome
  const name = stanceOf(being)
  return {
    name: `invoke_agent ${name}`,
    kind: SpanKind.INTERNAL,
    from: record.openedAt,
    to: outcome.sealedAt,
    attributes: present({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': name,
      'gen_ai.agent.id': being,
      'gen_ai.conversation.id': thread,
      'treeos.moment.id': moment,
      'treeos.moment.n': n,
      'treeos.moment.outcome': kind,
      'treeos.moment.reason': reason,
      'treeos.moment.hash': outcome.hash,
      'treeos.act.hash': record.act,
      'treeos.act.facts': record.facts.length,
      'treeos.gates': [...record.by],
      'treeos.role.primary': record.stack?.primary.name,
      'treeos.role.stacked': record.stack?.stacked.map((role) => role.name),
      'treeos.digest.open': record.open,
      'treeos.digest.stack': record.stackDigest,
      'treeos.digest.surface': record.surfaceDigest,
      'treeos.digest.prompt': record.promptDigest,
      'treeos.digest.decision': record.decision,
      'treeos.overlay.commitment': record.overlay?.commitment,
      'treeos.wake.id': open?.wake.id,
      'treeos.wake.kind': open?.wake.kind,
      'treeos.caller': open?.caller == null ? null : stanceOf(open.caller.name),
      'treeos.cognition': open?.cognition.kind,
      'treeos.driver': open?.driver == null ? null : stanceOf(open.driver),
      'error.type': kind === 'failure' ? (reason ?? 'failure') : null,
    }),
    error: kind === 'failure' ? ((withContent ? detail : null) ?? reason ?? 'failure') : null,
  }
}

/** The failed attempts, each with its own time, and the call that answered. */
function callsOfModel(moment: FinishedMoment, { withContent }: SpanOptions): Part[] {
  const { usage, outcome, faults, heard, decision } = moment
  const failed = faults.filter(({ part }) => part === 'model')
  const parts = failed.map((fault) => failedCall(fault, usage?.model, withContent))
  if (usage === null) return parts
  const from = Math.max(outcome.record.openedAt, ...failed.map(({ at }) => at))
  const to = usage.seconds === undefined ? outcome.sealedAt : from + 1000 * usage.seconds
  const { model = 'unknown' } = usage
  const content = withContent ? messages(heard, decision) : {}
  return [
    ...parts,
    {
      name: `chat ${model}`,
      kind: SpanKind.CLIENT,
      from,
      to: Math.max(from, Math.min(to, outcome.sealedAt)),
      attributes: present({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': model,
        'gen_ai.usage.input_tokens': usage.promptTokens,
        'gen_ai.usage.output_tokens': usage.completionTokens,
        'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens,
        ...content,
      }),
      error: null,
    },
  ]
}

const failedCall = (
  { at, seconds, attempt, message }: FailedAttempt,
  model = 'unknown',
  withContent: boolean,
): Part => ({
  name: `chat ${model}`,
  kind: SpanKind.CLIENT,
  from: at - 1000 * seconds,
  to: at,
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    'treeos.attempt': attempt,
    'error.type': 'LLM_FAILED',
  },
  error: withContent ? message : 'LLM_FAILED',
})

/** What was heard and said, in the form that the conventions give to messages. */
const messages = (heard: FinishedMoment['heard'], decision: Decision | null): Attributes => ({
  'gen_ai.input.messages': canonicalJson([{ role: 'user', parts: [textPart(heard)] }]),
  'gen_ai.output.messages': canonicalJson([
    {
      role: 'assistant',
      parts: [
        ...(decision?.kind === 'call' ? [{ type: 'tool_call', ...toolOf(decision.call) }] : []),
        ...(decision?.kind === 'failure' || decision?.content == null ? [] : [textPart(decision.content)]),
      ],
    },
  ]),
})

const textPart = (content: unknown) => ({
  type: 'text',
  content: typeof content === 'string' ? content : canonicalJson(content),
})

const toolOf = (call: VerbCall) => {
  const { verb, ...args } = call
  return { name: toolName(call), arguments: args }
}

/** The name of what was called: the operation of a DO or a BE, else the verb. */
function toolName(call: VerbCall): string {
  if (call.verb === 'do') return call.operation
  return call.verb === 'be' ? call.operation : call.verb
}

/** What the moment called. A refused call did nothing, so its span is a failed one. */
function callOfTool(moment: FinishedMoment, { withContent }: SpanOptions): Part[] {
  const { decision, outcome, faults, effect } = moment
  if (decision?.kind !== 'call') return []
  const { call } = decision
  const name = toolName(call)
  const effects = faults.filter(({ part }) => part === 'effect')
  const isRefused = outcome.kind === 'failure'
  const began = effects[0] === undefined ? outcome.sealedAt : effects[0].at - 1000 * effects[0].seconds
  return [
    {
      name: `execute_tool ${name}`,
      kind: SpanKind.INTERNAL,
      from: Math.min(began, outcome.sealedAt),
      to: outcome.sealedAt,
      attributes: present({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'gen_ai.tool.type': effect === null ? 'function' : 'extension',
        'gen_ai.tool.call.id': outcome.moment,
        'treeos.verb': call.verb,
        'treeos.target': callTarget(call),
        'treeos.effect': effect?.operation,
        'treeos.effect.attempts': effects.length === 0 ? null : effects.length,
        'gen_ai.tool.call.arguments': withContent ? canonicalJson(toolOf(call).arguments) : null,
        'gen_ai.tool.call.result': withContent && !isRefused ? canonicalJson(outcome.result) : null,
        'error.type': isRefused ? (outcome.reason ?? 'failure') : null,
      }),
      error: isRefused ? ((withContent ? outcome.detail : null) ?? outcome.reason ?? 'failure') : null,
    },
  ]
}

function callTarget(call: VerbCall): string | null {
  if (call.verb === 'see') return addressesOf(call).join(' ')
  return call.verb === 'be' ? null : call.target
}

interface Place {
  readonly trace: string
  readonly span: string
  readonly parent: string | null
  readonly resource: Resource
}

function readableSpan(part: Part, { trace, span, parent, resource }: Place): ReadableSpan {
  const context = (spanId: string) => ({ traceId: trace, spanId, traceFlags: 1 })
  const status: SpanStatus =
    part.error === null ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: part.error }
  return {
    name: part.name,
    kind: part.kind,
    spanContext: () => context(span),
    ...(parent === null ? {} : { parentSpanContext: context(parent) }),
    startTime: timeOf(part.from),
    endTime: timeOf(part.to),
    duration: timeOf(Math.max(0, part.to - part.from)),
    status,
    attributes: part.attributes,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: 'treeos' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

const timeOf = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)]

/** Without what is null or undefined, and without empty lists. */
function present(all: Record<string, Attributes[string] | null>): Attributes {
  return Object.fromEntries(
    Object.entries(all).filter(
      ([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  ) as Attributes
}
