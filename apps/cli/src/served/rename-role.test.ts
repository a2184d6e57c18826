import type { BeingView, RoleView } from '@treeos/client'
import { type Json, TreeosError, type VerbCall } from '@treeos/core'
import { expect, it } from 'vitest'
import { renameRole } from './rename-role.ts'

const role = (name: string, more: object = {}): RoleView =>
  ({
    name,
    prompt: 'p',
    origin: 'live',
    digest: name,
    permissions: [],
    usedBy: [],
    ...more,
  }) as unknown as RoleView
const being = (name: string, defaultRole: string): BeingView =>
  ({ being: name, stance: `@${name}`, defaultRole }) as BeingView

/** A world in memory. @param fails an operation that is refused, once */
function worldOf(roles: RoleView[], flows: Record<string, Json>, beings: BeingView[], fails = '') {
  const done: string[] = []
  const world = {
    act: async (call: VerbCall) => {
      if (call.verb !== 'do') throw new Error('an act by DO')
      const { operation, target, args } = call
      if (operation === fails) {
        fails = ''
        throw new TreeosError('FORBIDDEN', 'refused')
      }
      done.push(`${operation} ${target}`)
      const who = String(target).slice(1)
      if (operation === 'set-role') roles.push(role((args.role as { name: string }).name))
      if (operation === 'set-roleflow') flows[who] = args.flow as Json
      if (operation === 'delete-role')
        roles.splice(
          roles.findIndex(({ name }) => name === args.name),
          1,
        )
    },
    roles: async () => roles,
    beings: async () => beings,
    flowOf: async (name: string) => flows[name] ?? [],
  }
  return { world, done }
}

it('the new name comes first, then those that name the old one, which goes last', async () => {
  const old = role('page', { usedBy: ['@ann', '@bob'] })
  const flows: Record<string, Json> = {
    ann: [
      { when: { verb: 'see' }, role: 'other' },
      { role: 'page', stack: true },
    ],
    bob: [],
  }
  const { world, done } = worldOf([old], flows, [being('ann', 'other'), being('bob', 'page')])
  await renameRole({ from: 'page', to: 'herald' }, world)
  expect(done).toEqual(['set-role /', 'set-roleflow @ann', 'set-default-role @bob', 'delete-role /'])
  expect(flows.ann).toEqual([
    { when: { verb: 'see' }, role: 'other' },
    { role: 'herald', stack: true },
  ])
})

it('what failed half-way is finished by the same again', async () => {
  const old = role('page', { usedBy: ['@ann'] })
  const { world, done } = worldOf([old], { ann: [{ role: 'page' }] }, [being('ann', 'x')], 'delete-role')
  await expect(renameRole({ from: 'page', to: 'herald' }, world)).rejects.toThrow('refused')
  await renameRole({ from: 'page', to: 'herald' }, world)
  expect(done).toEqual(['set-role /', 'set-roleflow @ann', 'delete-role /'])
})

it.each([
  { from: 'page', to: 'king', code: 'RESOURCE_CONFLICT' },
  { from: 'court:page', to: 'herald', code: 'RESOURCE_CONFLICT' },
  { from: 'nobody', to: 'herald', code: 'ROLE_UNAVAILABLE' },
  { from: 'page', to: 'page', code: 'INVALID_INPUT' },
])('$from is not renamed to $to', async ({ from, to, code }) => {
  const roles = [role('page'), role('king', { prompt: 'another' }), role('court:page', { origin: 'court' })]
  const { world, done } = worldOf(roles, {}, [])
  await expect(renameRole({ from, to }, world)).rejects.toMatchObject({ code })
  expect(done).toEqual([])
})
