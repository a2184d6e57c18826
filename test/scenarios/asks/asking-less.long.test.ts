/**
 * A person who says yes again and again is shown a rule that asks less, and what that rule would have let
 * through.
 */
import { approvals, proposalWith, proposedPage } from '@treeos/client'
import type { Json } from '@treeos/core'
import { whatIfRules } from '@treeos/replay'
import { beforeAll, expect, it } from 'vitest'
import { createSpace, doAs, momentOf, play } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import till from '../../support/till.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage, till] })
const RULE = { requires: ['anyone'], ask: { who: ['operator'], within: 600 } }
beforeAll(async () => {
  await createSpace(world, '/shop')
  for (const name of ['clerk', 'other']) await world.birthPuppet(name)
  await doAs(world, 'set-space', '/shop', { field: 'permissions.do', value: { 'till:pay': RULE } })
})

const asks = async (euros: number, who = 'clerk') => {
  const { n } = await play(world, who, {
    verb: 'do',
    operation: 'till:pay',
    target: '/shop',
    args: { euros },
  })
  return `${who}/1/${n}`
}
const shown = async () => (await proposedPage(world, 'operator', { limit: 50 })).items
const BEYOND = [
  { most: 12, per: ['being'], within: 86_400 },
  { each: 'euros', most: 12 },
]

it('shows a rule that asks beyond what was approved, after twelve of a kind and not before', async () => {
  const rule = (value: Json) => doAs(world, 'set-space', '/shop', { field: 'permissions.do', value })
  const late = await asks(500)
  await rule({ 'till:pay': { ...RULE, counts: [{ each: 'euros', most: 100 }] } })
  await doAs(world, 'approve', '@operator', { id: late })
  await momentOf(world, `approved/${late}`) // a yes that comes to nothing says nothing
  await rule({ 'till:pay': RULE })
  for (let euros = 1; euros <= 12; euros++) {
    const id = await asks(euros)
    expect((await shown()).map((one) => one.likeThis)).toEqual([undefined])
    await doAs(world, 'approve', '@operator', { id })
    await momentOf(world, `approved/${id}`)
  }
  await asks(40)
  await asks(1, 'other')
  expect((await shown()).map(({ from, likeThis }) => [from, likeThis])).toEqual([
    [
      '@clerk',
      {
        approved: 12,
        space: '/shop',
        field: 'permissions.do',
        value: { 'till:pay': { ...RULE, ask: { ...RULE.ask, beyond: BEYOND } } },
        free: [],
      },
    ],
    ['@other', undefined],
  ])
})

it('what if lists the calls that the rule would have let through, and those that it would have refused', async () => {
  const [first, second] = await shown()
  const likeThis = first!.likeThis!
  const proposal = await proposalWith(world, 'operator', first!.id)
  expect(proposal).toMatchObject({ ...likeThis, being: 'clerk', moments: Array(12).fill({}) })
  expect(await proposalWith(world, 'operator', second!.id)).toBeNull()
  const otherwise = await whatIfRules(world, { being: 'clerk', ...likeThis, since: 2 })
  expect(otherwise.map(({ moment, n }) => ({ id: moment, n }))).toEqual(proposal?.moments)
  expect(
    otherwise.map(({ call, was, would }) => [call.verb === 'do' && call.args.euros, was, would]),
  ).toEqual(
    Array.from({ length: 12 }, (_, i) => [i + 1, 'waiting', 'act']), // and 40 would still wait
  )
  const counts = [{ sum: 'euros', most: 10 }]
  const strict = { 'till:pay': { requires: ['anyone'], counts } }
  const bounded = await whatIfRules(world, { being: 'clerk', ...likeThis, value: strict, since: 2 })
  expect(bounded.map(({ would }) => would)).toEqual([...Array(4).fill('act'), ...Array(9).fill('FORBIDDEN')])
})

it('shows none once the person has said no', async () => {
  const [first] = await approvals(world, 'operator')
  await doAs(world, 'deny', '@operator', { id: first!.id })
  await asks(2)
  expect((await shown()).map(({ likeThis }) => likeThis)).toEqual([undefined, undefined])
})
