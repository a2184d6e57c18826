import { describe, expect, it, vi } from 'vitest'
import { prepareNamespace } from './namespace.ts'

const WANTED = ['TreeosReality', 'TreeosBeing']
const status = (code: number, message: string) => Object.assign(new Error(`${code}: ${message}`), { code })
const KEYWORD = 2

/** A server that lets nobody list or add search attributes, and holds these. */
function serverWith(held: readonly string[], listing: () => Promise<unknown>) {
  const add = vi.fn(async (_: unknown) => {
    throw status(7, 'Request unauthorized.')
  })
  const count = vi.fn(async ({ query }: { query: string }) => {
    if (held.some((name) => query.startsWith(`${name} `))) return { count: 0 }
    throw status(3, `invalid query: column ${query.split(' ')[0]} is not found`)
  })
  const connection = {
    operatorService: { listSearchAttributes: listing, addSearchAttributes: add },
    workflowService: { describeNamespace: async () => ({}), countWorkflowExecutions: count },
  }
  const prepare = () =>
    prepareNamespace(connection as never, { namespace: 'acme.a1b2', searchAttributes: WANTED })
  return { prepare, add, count }
}

const REFUSALS = [
  { who: 'an authorizer', refuse: async () => Promise.reject(status(7, 'Request unauthorized.')) },
  { who: 'Temporal Cloud', refuse: async () => Promise.reject(status(12, 'unknown service')) },
]

describe.each(REFUSALS)('where $who lets nobody list search attributes', ({ refuse }) => {
  it('a namespace that has them is taken as it is', async () => {
    const { prepare, add } = serverWith(WANTED, refuse)
    await prepare()
    expect(add).not.toHaveBeenCalled()
  })

  it('those that a query shows to be missing are named, with the commands that add them', async () => {
    const { prepare } = serverWith(['TreeosBeing'], refuse)
    const named = expect(prepare()).rejects
    await named.toThrow('the search attributes TreeosReality are needed in namespace acme.a1b2')
    const cloud = expect(prepare()).rejects
    await cloud.toThrow(
      'tcld namespace search-attributes add --namespace acme.a1b2 --search-attribute TreeosReality=Keyword',
    )
  })
})

it('another fault of the server is told, and nothing is asked one by one', async () => {
  const { prepare, count } = serverWith(WANTED, async () => Promise.reject(status(14, 'upstream is away')))
  await expect(prepare()).rejects.toThrow('upstream is away')
  expect(count).not.toHaveBeenCalled()
})

it('where they are listed and may not be added, the missing ones alone are named', async () => {
  const listing = async () => ({ customAttributes: { TreeosReality: KEYWORD } })
  await expect(serverWith(WANTED, listing).prepare()).rejects.toThrow(
    /^the search attributes TreeosBeing are needed .*--name TreeosBeing --type Keyword\./,
  )
})
