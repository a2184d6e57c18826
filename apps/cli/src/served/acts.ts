import { randomBytes } from 'node:crypto'
import type { ActResult, CancelledCall, FileInput, SummonRequest, SummonResult } from '@treeos/client'
import type { Treeos } from '@treeos/client-http'
import { type BeingName, stanceOf, TreeosError, type VerbCall, wordsWith } from '@treeos/core'
import type { InstanceOptions } from '../cli.ts'
import { withReality, withServices } from '../instance/with-instance.ts'
import type { Output } from '../text/output.ts'
import { answered, httpClient, type Service, serve, toldAs } from './serve.ts'

/** A request that is sent again after a lost connection, with the same key, is done once. */
const newKey = () => ({ 'idempotency-key': randomBytes(16).toString('hex') })

interface ActRequest {
  readonly as: BeingName
  readonly call: VerbCall
  readonly outside?: boolean | undefined
}

/**
 * The code of the extensions, for a call that may hold texts which one of them seals before they are stored. It
 * takes long to load, so other calls go without.
 */
export async function codeFor(options: InstanceOptions, call: VerbCall) {
  const maySeal = call.verb === 'do' && (call.operation === 'approve' || call.operation.includes(':'))
  if (!maySeal) return {}
  const { loadedRegistry } = await import('../instance/connection.ts')
  return { registry: await loadedRegistry(options) }
}

/** One act of a person. */
export const ACT: Service<ActRequest, ActResult> = {
  record: (options, { as, call, outside }) =>
    withServices(options, async (at, { act }) =>
      act({ ...at, ...(await codeFor(options, call)) }, as, call, undefined, undefined, outside),
    ),
  api: (treeos, { call, outside = false }) => {
    const params = { header: newKey() }
    const marked = outside ? { outside } : {}
    if (call.verb === 'be') {
      const { operation, args } = call
      return answered(treeos.api.POST('/be', { params, body: { operation, args, ...marked } }))
    }
    if (call.verb !== 'do') throw new Error(`no command does a ${call.verb} as an act`)
    const { operation, target, args } = call
    const on = target === null || target === undefined ? {} : { target }
    return answered(treeos.api.POST('/do', { params, body: { operation, ...on, args, ...marked } }))
  },
}

interface ErasureRequest {
  readonly as: BeingName
  readonly what: string
  readonly why: string
}

export const ERASE: Service<ErasureRequest, ActResult> = {
  record: (options, { as, what, why }) =>
    withServices(options, async (at, { act, erasing }) => act(at, as, await erasing(at.db, what, why))),
  api: (treeos, { what, why }) =>
    answered(treeos.api.POST('/erase', { params: { header: newKey() }, body: { what, why } })),
}

interface CancelRequest {
  readonly as: BeingName
  readonly being: BeingName
  readonly moment?: string
}

export const CANCEL: Service<CancelRequest, CancelledCall> = {
  record: (options, request) => withReality(options, (at, { cancel }) => cancel(at, request)),
  api: (treeos, { being: name, moment }) =>
    answered(
      treeos.api.POST('/beings/{name}/cancel', {
        params: { path: { name }, query: moment === undefined ? {} : { moment } },
      }),
    ),
}

/** What somebody says to a being. */
export type SpokenRequest = Omit<SummonRequest, 'key' | 'signal' | 'words' | 'onSent'> & {
  readonly waitSeconds: number | null
}

/** Says something, and waits for the answer where it is asked to. */
export type Say = (said: SpokenRequest, onSent?: (correlation: string) => void) => Promise<SummonResult>

/**
 * Speaks to beings, over one connection.
 * @param stream where to show what a model writes, while it does; null: nowhere
 */
export function speaking<T>(
  options: InstanceOptions,
  stream: Output | null,
  use: (say: Say) => Promise<T>,
): Promise<T> {
  return serve<Output | null, T>(
    options,
    {
      record: () =>
        withServices(options, (at, { summon }) =>
          use(async (said, onSent = () => undefined) => {
            if (stream === null) return summon(at, { ...said, onSent })
            const { withWords } = await import('../show/words.ts')
            return withWords(stream, options, at, said, (onOwn) =>
              summon(at, {
                ...said,
                onSent: (correlation) => {
                  onOwn(correlation)
                  onSent(correlation)
                },
              }),
            )
          }),
        ),
      api: (treeos) =>
        use(async (said, onSent = () => undefined) => {
          const told = await (stream === null ? sayTo(treeos, said) : hear(treeos, said, stream))
          onSent(told.correlation)
          return told
        }),
    },
    stream,
  )
}

/** What the body of a request says, once its files are things. */
async function bodyOf(treeos: Treeos, said: SpokenRequest) {
  const { target, files = [], content, overlay, waitSeconds, thread, channel, priority, role } = said
  const things: string[] = []
  for (const file of files) things.push(await give(treeos, file))
  const { outside = false, expectReply, requireReply = false } = said
  return {
    target: stanceOf(target),
    content: wordsWith(content, things),
    ...(thread === undefined ? {} : { thread }),
    ...(channel === undefined ? {} : { channel }),
    ...(priority === undefined ? {} : { priority }),
    ...(role === undefined ? {} : { role }),
    ...(expectReply === undefined ? {} : { expectReply }),
    ...(overlay === undefined ? {} : { overlay: overlay.content }),
    ...(outside ? { outside } : {}),
    ...(waitSeconds === null ? {} : { requireReply }),
  }
}

async function sayTo(treeos: Treeos, said: SpokenRequest): Promise<SummonResult> {
  const body = await bodyOf(treeos, said)
  return awaiting(said.waitSeconds, (wait, header) =>
    answered(treeos.api.POST('/summon', { params: { header }, body: { ...body, ...wait } })),
  )
}

async function hear(treeos: Treeos, said: SpokenRequest, out: Output): Promise<SummonResult> {
  const body = await bodyOf(treeos, said)
  let isWithin = false
  const told = await awaiting(said.waitSeconds, async (wait, header) => {
    const streamed = treeos.summonStream({ ...body, ...wait, key: header['idempotency-key'] })
    for await (const event of streamed) {
      if (event.type === 'answer') return toldAs<SummonResult>(event.summoned)
      if (event.type !== 'words') continue
      isWithin = true
      if (out.json) out.jsonToStderr({ text: event.text })
      else out.aside(event.text)
    }
    throw new Error('the stream ended without an answer')
  })
  if (isWithin && !out.json) out.aside('\n')
  return told
}

/** One request waits no longer: proxies and clients give a connection up that says nothing. */
const WAIT_STEP_SECONDS = 50

/** Asks with the same key until there is an answer, or the time is over. */
async function awaiting<T>(
  waitSeconds: number | null,
  ask: (wait: { waitSeconds?: number }, header: ReturnType<typeof newKey>) => Promise<T>,
): Promise<T> {
  const header = newKey()
  if (waitSeconds === null) return ask({}, header)
  const { Problem } = await httpClient()
  for (const until = Date.now() + 1000 * waitSeconds; ; ) {
    const left = Math.max(0, (until - Date.now()) / 1000)
    try {
      return await ask({ waitSeconds: Math.min(left, WAIT_STEP_SECONDS) }, header)
    } catch (error) {
      const isLate = error instanceof Problem && error.code === 'TIMEOUT'
      if (!isLate || left <= WAIT_STEP_SECONDS) throw error
    }
  }
}

/** Gives a file. @returns the address of its thing */
async function give(treeos: Treeos, { name, bytes, mediaType }: FileInput): Promise<string> {
  const { thing } = await answered<{ thing: string }>(
    treeos.api.POST('/files', {
      params: { query: { name }, header: newKey() },
      headers: { 'content-type': mediaType ?? 'application/octet-stream' },
      // the description says that a file is a string of bytes
      body: bytes as unknown as string,
      bodySerializer: (body) => body as unknown as NonNullable<RequestInit['body']>,
    }),
  )
  return thing
}

interface ReplyRequest {
  readonly correlation: string
  readonly content: SummonRequest['content']
  readonly as: BeingName
  readonly outside?: boolean | undefined
  readonly waitSeconds: number | null
}

/** Answers an entry of the inbox. An end without an answer to the answer is a refusal. */
export const REPLY: Service<ReplyRequest, SummonResult> = {
  record: (options, request) =>
    withServices(options, (at, { reply }) => reply(at, { ...request, requireReply: true })),
  api: (treeos, { correlation, content, outside = false, waitSeconds }) => {
    const body = { correlation, content, ...(outside ? { outside } : {}) }
    return awaiting(waitSeconds, (wait, header) =>
      answered(
        treeos.api.POST('/inbox/reply', {
          params: { header },
          body: { ...body, ...wait, ...(waitSeconds === null ? {} : { requireReply: true }) },
        }),
      ),
    )
  },
}

/** What a command does only with the database, of who is logged in. @throws {TreeosError} */
export function requireDatabase({ login }: InstanceOptions, what: string): void {
  if (login !== undefined)
    throw new TreeosError(
      'SERVICE_UNAVAILABLE',
      `${what} needs the database of an instance, and you are logged in to ${login.url} without one`,
    )
}
