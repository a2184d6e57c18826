import type { HookDoes, HookView, OutletView } from '@treeos/portal'
import { table } from '../text/output.ts'
import { programName } from '../text/program-name.ts'

export function shownOutlet(made: OutletView & { readonly secret?: string }): string {
  if (made.secret === undefined)
    return `${made.address} was sent a code; it is told what waits after: ${programName()} outlet confirm ${made.id} CODE`
  return [`${made.address} is told what waits; the secret that signs it:`, made.secret].join('\n')
}

export function shownOutlets(outlets: readonly OutletView[]): string {
  if (outlets.length === 0) return 'nobody is told beside the page'
  return table(outlets.map((one) => [one.id, one.address, one.wants.join(' '), outletState(one)]))
}

function outletState({ confirmed, deliveries: { due, sent, dead, fault } }: OutletView): string {
  const counts = [
    `${sent} sent`,
    ...(due > 0 ? [`${due} due`] : []),
    ...(dead > 0 ? [`${dead} given up`] : []),
  ]
  return `${confirmed ? '' : 'not confirmed, '}${counts.join(', ')}${fault === null ? '' : ` (last: ${fault})`}`
}

export const shownHook = ({ path, secret }: { readonly path: string; readonly secret: string }): string =>
  [
    `what is signed and sent to ${path} of the portal is an act of yours; the secret that signs it:`,
    secret,
  ].join('\n')

export function shownHooks(hooks: readonly HookView[]): string {
  if (hooks.length === 0) return 'no program acts by a webhook'
  return table(hooks.map(({ id, name, does, usedAt }) => [id, name, doing(does), usedAt ?? 'not used yet']))
}

const doing = (does: HookDoes): string =>
  'summon' in does ? `summons ${does.summon}` : `publishes ${does.signal}`
