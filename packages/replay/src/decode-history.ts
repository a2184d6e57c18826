/**
 * Histories hold payloads as the data converter of their workers writes them, such as encrypted. All that
 * reads one here reads plain JSON, so each is decoded once, when it comes.
 */

import { type Client, defaultPayloadConverter } from '@temporalio/client'
import type { temporal } from '@temporalio/proto'
import { TreeosError } from '@treeos/core'
import type { History } from '@treeos/host'

export type TemporalEvent = temporal.api.history.v1.IHistoryEvent
type Converter = Client['options']['loadedDataConverter']
type Payload = Parameters<Converter['payloadCodecs'][number]['decode']>[0][number]
type Context = NonNullable<Parameters<Converter['payloadCodecs'][number]['decode']>[1]>

/** A run whose payloads are to be decoded. */
export interface EncodedRun {
  readonly workflowId: string
  readonly history: History
}

/** A payload that the data converter refused: somebody changed it, or its key is gone. */
export interface UndecodedPayload {
  /** number of its event, from 1 */
  readonly event: number
  readonly why: string
}

/**
 * Decodes the payloads of a run in place, by the data converter of a client.
 * @returns the first payload that the converter refused, which stays as it is; null when there is none
 * @throws {TreeosError} SERVICE_UNAVAILABLE where it refuses all of them, and where payloads are encoded and
 *   the client has no data converter
 */
export async function decodeHistory(client: Client, run: EncodedRun): Promise<UndecodedPayload | null> {
  const converter = client.options.loadedDataConverter
  const encoded = (run.history.events ?? []).flatMap((event, i) => {
    const context = contextOf(event, run, client.options.namespace)
    return payloadsIn(event).map((payloads) => ({ event: i + 1, payloads, context }))
  })
  const refused: UndecodedPayload[] = []
  for (let from = 0; from < encoded.length; from += AT_ONCE)
    await Promise.all(
      encoded.slice(from, from + AT_ONCE).map(async ({ event, payloads, context }) => {
        try {
          const plain = await decodeAll(converter, payloads, context)
          for (const [at, payload] of payloads.entries()) replaceBy(payload, plain[at]!)
        } catch (error) {
          if (isAway(error)) throw error
          refused.push({ event, why: error instanceof Error ? error.message : String(error) })
        }
      }),
    )
  const [first = null] = refused.sort((a, b) => a.event - b.event)
  if (first !== null && refused.length === encoded.length) throw undecodable(run.workflowId, first.why)
  return first
}

/** As many as the SDK's workers decode. */
const AT_ONCE = 20

/** The codec server did not say what it makes of a payload. */
const isAway = (error: unknown): boolean => (error as { code?: unknown }).code === 'SERVICE_UNAVAILABLE'

/** Nothing of the encoded form is left. The decoded one may be the same object, where there is no codec. */
function replaceBy(payload: Payload, { metadata, data, externalPayloads }: Payload): void {
  Object.assign(payload, { metadata, data, externalPayloads: externalPayloads ?? [] })
}

/** Codecs decode in the opposite order of encoding. */
async function decodeAll(
  { payloadCodecs, payloadConverter }: Converter,
  payloads: readonly Payload[],
  context: Context,
): Promise<Payload[]> {
  let plain = [...payloads]
  for (const codec of payloadCodecs.toReversed()) plain = await codec.decode(plain, context)
  if (plain.length !== payloads.length)
    throw new Error(`its codec gave ${plain.length} payloads for ${payloads.length}`)
  return payloadConverter === defaultPayloadConverter
    ? plain.map(requirePlain)
    : plain.map((payload) => defaultPayloadConverter.toPayload(payloadConverter.fromPayload(payload)))
}

const PLAIN = /^(json|binary)\/(plain|null|protobuf)$/

function requirePlain(payload: Payload): Payload {
  const encoding = Buffer.from(payload.metadata?.encoding ?? []).toString()
  if (PLAIN.test(encoding)) return payload
  throw new Error(`it is encoded as ${JSON.stringify(encoding)}`)
}

const undecodable = (workflowId: string, why: string): TreeosError =>
  new TreeosError(
    'SERVICE_UNAVAILABLE',
    `no payload of ${workflowId} can be decoded: ${why}. Name the data converter of its workers in TREEOS_DATA_CONVERTER, or their codec server in TEMPORAL_CODEC_ENDPOINT`,
  )

/** What the SDK tells codecs of the payloads of an event. */
function contextOf(event: TemporalEvent, { workflowId }: EncodedRun, namespace: string): Context {
  const isLocal = event.markerRecordedEventAttributes?.markerName === LOCAL_ACTIVITY
  const isActivity = isLocal || Object.keys(event).some((name) => /^activityTask.+Attributes$/.test(name))
  return isActivity
    ? { type: 'activity', namespace, workflowId, isLocal }
    : { type: 'workflow', namespace, workflowId }
}

const LOCAL_ACTIVITY = 'core_local_activity'

/**
 * Lists of payloads that a codec encoded together. The SDK encodes no headers and no search attributes, and of
 * its own markers only what activities gave.
 */
function payloadsIn(event: TemporalEvent): Payload[][] {
  const found: Payload[][] = []
  const { markerRecordedEventAttributes: marker } = event
  if (marker?.markerName?.startsWith('core_')) collect([marker.details?.result, marker.failure], found)
  else collect(event, found)
  return found
}

const CLEAR = new Set(['header', 'searchAttributes'])

function collect(value: unknown, into: Payload[][]): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return
  if (Array.isArray(value)) {
    for (const one of value) collect(one, into)
    return
  }
  const { payloads } = value as { payloads?: unknown }
  if (Array.isArray(payloads) && payloads.every(isPayload))
    into.push(...(payloads.length > 0 ? [payloads] : []))
  else if (isPayload(value)) into.push([value])
  else for (const [name, one] of Object.entries(value)) if (!CLEAR.has(name)) collect(one, into)
}

const isPayload = (value: unknown): value is Payload =>
  typeof value === 'object' &&
  value !== null &&
  ArrayBuffer.isView((value as Payload).data) &&
  typeof (value as Payload).metadata === 'object'
