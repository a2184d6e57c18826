import { SEARCH_ATTRIBUTES } from '@treeos/protocol'
import { expect, it } from 'vitest'
import { requirePrepared } from './prepare.ts'
import { addSearchAttributes, type OperatorCalls, TakenSearchAttributeError } from './search-attributes.ts'

const NAMES = SEARCH_ATTRIBUTES.map(({ name }) => name)
const refusal = (code: number) => async () => {
  throw Object.assign(new Error('refused'), { code })
}

/** A server that lets nobody list or add search attributes, and holds these. */
const guarded = (held: readonly string[], code: number): OperatorCalls =>
  ({
    operatorService: { listSearchAttributes: refusal(code), addSearchAttributes: refusal(code) },
    workflowService: {
      countWorkflowExecutions: async ({ query }: { query: string }) => {
        if (!held.some((name) => query.startsWith(`${name} `))) await refusal(3)()
        return {}
      },
    },
  }) as never

it.each([7, 12])(
  'a server that refuses operators by status %i is prepared where it has them',
  async (code) => {
    await expect(addSearchAttributes(guarded(NAMES, code), 'acme')).resolves.toBeUndefined()
  },
)

it('those that are missing are named, with the commands that add them', async () => {
  const added = addSearchAttributes(guarded(NAMES.slice(1), 7), 'acme')
  await expect(added).rejects.toThrow(
    /^the search attributes TreeosReality are missing .*tcld namespace search-attributes add --namespace acme --search-attribute TreeosReality=Keyword$/,
  )
})

it('a query that fails for another reason tells nothing of what is missing', async () => {
  const away = guarded(NAMES, 7)
  Object.assign(away.workflowService, { countWorkflowExecutions: refusal(14) })
  await expect(addSearchAttributes(away, 'acme')).rejects.toMatchObject({ code: 14 })
})

/** A server that has all of ours, one of them as this type. */
const holding = (type: number) =>
  ({
    operatorService: {
      listSearchAttributes: async () => ({
        customAttributes: { ...Object.fromEntries(NAMES.map((name) => [name, 2])), [NAMES[1]!]: type },
      }),
    },
  }) as never

it.each([1, 3])('one that the namespace has as a type %i is refused by name', async (type) => {
  const added = addSearchAttributes(holding(type), 'acme')
  await expect(added).rejects.toThrow(
    /^namespace acme of Temporal has TreeosBeing as .*needs it as a Keyword/,
  )
  await expect(
    requirePrepared({ connection: holding(type), namespace: 'acme', taskQueue: 'q' }, {
      name: 'home',
      taskQueue: 'q',
    } as never),
  ).rejects.toThrow(TakenSearchAttributeError)
})

it('control: as a Keyword it is taken', async () => {
  await expect(addSearchAttributes(holding(2), 'acme')).resolves.toBeUndefined()
})
