/**
 * Beings for agents of others: the client of the A2A project finds a public being, speaks to it and follows
 * its task.
 */
import { Role, type Task, TaskState } from '@a2a-js/sdk'
import { type Client, ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import { approvals, issueToken, see } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSpace, doAs, until } from '../support/life.ts'
import { PortalWorld, send } from '../support/portal.ts'

let at: PortalWorld
let ada: Client
let bob: Client
beforeAll(async () => {
  at = await PortalWorld.start()
  await at.serveAnew({ actsPerMinute: 10_000 })
  await doAs(at.world, 'set-being', '@kid', { field: 'a2a.public', value: true })
  await doAs(at.world, 'set-being', '@kid', { field: 'a2a.description', value: 'Says what it hears.' })
  ada = await clientOf('ada')
  bob = await clientOf('bob')
})
afterAll(() => at?.close())

async function clientOf(being: BeingName): Promise<Client> {
  const { secret } = await issueToken({ ...at.world, person: being }, { being, as: being })
  const fetchAs: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${secret}`)
    return fetch(input, { ...init, headers })
  }
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl: fetchAs })],
  })
  return new ClientFactory(options).createFromUrl(at.origin)
}

let count = 0
const message = (value: string, contextId = '') => ({
  tenant: '',
  message: {
    messageId: `m${count++}`,
    contextId,
    taskId: '',
    role: Role.ROLE_USER,
    parts: [
      {
        content: { $case: 'text' as const, value },
        metadata: undefined,
        filename: '',
        mediaType: 'text/plain',
      },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: undefined,
  metadata: undefined,
})

/** What a task says that the being answered. */
const answerIn = (result: unknown) =>
  (result as Task).artifacts.map(({ parts }) => parts.map(({ content }) => content?.value).join('')).join('')
const asTask = (result: unknown): Task => result as Task

it('a public being has a card that everybody may read, and no other being has one', async () => {
  const { status, json } = await send(at.origin, '/.well-known/agent-card.json')
  expect(status).toBe(200)
  expect(json).toMatchObject({
    name: '@kid',
    description: 'Says what it hears.',
    supportedInterfaces: [
      { url: `${at.origin}/a2a/kid`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
  })
  expect((await send(at.origin, '/a2a/kid/.well-known/agent-card.json')).json).toEqual(json)
  const codes: unknown[] = []
  for (const name of ['echo', 'nobody'])
    codes.push((await send(at.origin, `/a2a/${name}/.well-known/agent-card.json`)).json.code)
  expect(codes).toEqual(['BEING_NOT_FOUND', 'BEING_NOT_FOUND'])
})

it('its card names the address that the client reached, whatever stands between', async () => {
  const { host } = new URL(at.origin)
  const cardBy = async (headers: Record<string, string>) => {
    const { json } = await send(at.origin, '/.well-known/agent-card.json', { headers })
    return json.supportedInterfaces?.[0]?.url ?? json.code
  }
  expect(await cardBy({ 'x-forwarded-proto': 'https, http' })).toBe(`https://${host}/a2a/kid`)
  expect(await cardBy({ host: `localhost.:1`, 'x-forwarded-proto': 'HTTPS' })).toBe(
    'https://localhost:1/a2a/kid',
  )
  expect(await cardBy({ host: '[::1]:443', 'x-forwarded-proto': 'https' })).toBe('https://[::1]/a2a/kid')
  // Nobody but a proxy that is named may say another host.
  expect(await cardBy({ 'x-forwarded-host': 'evil.example' })).toBe(`${at.origin}/a2a/kid`)
})

it('a message is a summon, and its task is what came of it, whole or as a stream', async () => {
  const task = asTask(await ada.sendMessage(message('hello')))
  expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  expect(answerIn(task)).toBe('hello')
  expect(await ada.getTask({ tenant: '', id: task.id })).toMatchObject({
    id: task.id,
    contextId: task.contextId,
  })
  const next = asTask(await ada.sendMessage(message('and then?', task.contextId)))
  expect(next.contextId).toBe(task.contextId)
  expect(next.id).not.toBe(task.id)
  const states: (TaskState | undefined)[] = []
  let last: unknown
  for await (const { payload } of ada.sendMessageStream(message('streamed'))) {
    last = payload?.value
    states.push(asTask(last).status?.state)
  }
  expect(states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED)
  expect(answerIn(last)).toBe('streamed')
})

it('a message that is sent again is one summon', async () => {
  const said = message('once')
  const [one, two] = [asTask(await ada.sendMessage(said)), asTask(await ada.sendMessage(said))]
  expect(two.id).toBe(one.id)
})

it('a client of another version is told which one is spoken', async () => {
  const { secret } = await issueToken({ ...at.world, person: 'ada' }, { being: 'ada', as: 'ada' })
  const asked = async (method: string, headers: Record<string, string>) =>
    (
      await send(at.origin, '/a2a/kid', {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} }),
      })
    ).json.error.message
  const spoken = /Supported versions: 1\.0/
  expect(await asked('message/send', {})).toMatch(spoken)
  expect(await asked('SendMessage', { 'a2a-version': '2.0' })).toMatch(spoken)
})

it('the gates hold: who may not speak to a being gets no task, and nobody reads the task of another', async () => {
  await expect(bob.sendMessage(message('hello'))).rejects.toThrow(/FORBIDDEN/)
  const task = asTask(await ada.sendMessage(message('for ada alone')))
  await expect(bob.getTask({ tenant: '', id: task.id })).rejects.toThrow(/not found/i)
  const headers = { authorization: 'Bearer wrong' }
  expect((await send(at.origin, '/a2a/kid', { method: 'POST', headers, body: '{}' })).status).toBe(401)
})

it('a task whose being wants to do what its person must allow says so, and goes on once the person has answered', async () => {
  await at.world.birthPuppet('clerk')
  await createSpace(at.world, '/till')
  const ask = { requires: ['anyone'], ask: { who: ['@ada'], within: 600 } }
  const rule = { 'create-space': ask }
  await doAs(at.world, 'set-space', '/till', { field: 'permissions.do', value: rule })
  await doAs(at.world, 'set-being', '@clerk', { field: 'a2a.public', value: 'front' })
  const client = await clientOf('ada')
  const wants = (path: string) => {
    const call = { verb: 'do', operation: 'create-space', target: '/till', args: { path } }
    const said = message('')
    const parts = said.message.parts.map((part) => ({
      ...part,
      content: { $case: 'data' as const, value: { call } },
    }))
    return { ...said, message: { ...said.message, parts } }
  }
  const whatOf = ({ status }: Task) => JSON.stringify(status?.message?.parts)
  const idOf = ({ metadata }: Task) => String(metadata?.approval)
  const task = asTask(await client.sendMessage(wants('/till/a')))
  expect(task.status?.state).toBe(TaskState.TASK_STATE_AUTH_REQUIRED)
  for (const part of ['create-space', `${at.origin}/inbox`]) expect(whatOf(task)).toContain(part)
  const yes = message(`yes ${idOf(task)}`, task.contextId)
  await expect(client.sendMessage({ ...yes, message: { ...yes.message, taskId: task.id } })).rejects.toThrow(
    /FORBIDDEN.*its person, on the page/,
  )
  expect((await see(at.world, 'operator', '/till')).children).toEqual([])
  await doAs({ ...at.world, person: 'ada' }, 'approve', '@ada', { id: idOf(task) }, 'ada')
  await until(async () => (await see(at.world, 'operator', '/till')).children.length === 1)
  const other = asTask(await client.sendMessage(wants('/till/b')))
  await doAs({ ...at.world, person: 'ada' }, 'deny', '@ada', { id: idOf(other) }, 'ada')
  expect((await approvals({ ...at.world, person: 'ada' }, 'ada')).length).toBe(0)
  expect((await see(at.world, 'operator', '/till')).children).toHaveLength(1)
  await doAs(at.world, 'set-being', '@clerk', { field: 'a2a.public', value: true })
})

it('a message that itself needs a yes says whose, and goes on after it', async () => {
  const rule = { '@kid': { requires: ['anyone'], ask: { who: ['operator'], within: 600 } } }
  await doAs(at.world, 'set-space', '/', { field: 'permissions.summon', value: rule, merge: false })
  const { id } = asTask(await ada.sendMessage({ ...message('may I ask?'), configuration: IMMEDIATELY }))
  const task = () => ada.getTask({ tenant: '', id })
  await until(async () => (await task()).status?.message !== undefined)
  const { status } = await task()
  expect(status?.state).toBe(TaskState.TASK_STATE_WORKING)
  expect(JSON.stringify(status?.message)).toContain('it waits for the yes of @operator')
  const [asked] = await approvals(at.world, 'operator')
  await doAs(at.world, 'approve', '@operator', { id: asked!.id })
  await until(async () => (await task()).status?.state === TaskState.TASK_STATE_COMPLETED)
  expect(await task()).toMatchObject({ id })
  expect(answerIn(await task())).toBe('may I ask?')
})

it('a message whose yes is denied fails, and says so', async () => {
  const { id } = asTask(await ada.sendMessage({ ...message('may I?'), configuration: IMMEDIATELY }))
  await until(async () => (await approvals(at.world, 'operator')).length === 1)
  const [asked] = await approvals(at.world, 'operator')
  await doAs(at.world, 'deny', '@operator', { id: asked!.id })
  const task = () => ada.getTask({ tenant: '', id })
  await until(async () => (await task()).status?.state === TaskState.TASK_STATE_FAILED)
  expect(JSON.stringify((await task()).status?.message)).toContain('denied')
  await doAs(at.world, 'set-space', '/', { field: 'permissions.summon', value: null })
})

it('a task is cancelled by the cut of its thread', async () => {
  await doAs(at.world, 'set-being', '@cleo', { field: 'a2a.public', value: 'front' })
  const waiting = await clientOf('ada') // the front is a person now, who does not answer
  const said = { ...message('Are you there?'), configuration: IMMEDIATELY }
  const task = asTask(await waiting.sendMessage(said))
  expect(task.status?.state).toBe(TaskState.TASK_STATE_WORKING)
  const cancelled = await waiting.cancelTask({ tenant: '', id: task.id, metadata: undefined })
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
  expect(at.errors).toEqual([])
})

const IMMEDIATELY = {
  acceptedOutputModes: [],
  taskPushNotificationConfig: undefined,
  returnImmediately: true,
}

it('its card names what a proxy that is named says was reached, and nobody else may say it', async () => {
  const urlBy = async (headers: Record<string, string>) =>
    (await send(at.origin, '/a2a/kid/.well-known/agent-card.json', { headers })).json.supportedInterfaces?.[0]
      ?.url
  const old = { host: 'localhost', 'x-forwarded-port': '8443', 'x-forwarded-proto': 'https' }
  const standard = { host: 'localhost', forwarded: 'for=192.0.2.7;host="127.0.0.1:9443";proto=https' }
  expect(await urlBy(old)).toBe('https://localhost/a2a/kid')
  expect(await urlBy(standard)).toBe('http://localhost/a2a/kid')
  await at.serveAnew({ actsPerMinute: 10_000, proxies: ['127.0.0.1'] })
  expect(await urlBy(old)).toBe('https://localhost:8443/a2a/kid')
  expect(await urlBy(standard)).toBe('https://127.0.0.1:9443/a2a/kid')
  expect(await urlBy({ ...old, forwarded: 'host=127.0.0.1' })).toBe('https://localhost:8443/a2a/kid')
})
