import { TreeosError } from '@treeos/core'
import type { Cli, InstanceOptions } from '../cli.ts'
import { UsageError } from '../text/failure.ts'
import { parseNumber, requireJson, requireStance } from '../text/input.ts'
import { shownChanges } from './shared/show-changes.ts'

interface WhyNotOptions extends InstanceOptions {
  readonly role?: string
  readonly act?: string
}

/** `treeos why-not`: what would have had to be otherwise. It calls no model and writes nothing. */
export function addWhyNot(cli: Cli): void {
  cli
    .onInstance(
      'why-not <stance>',
      'show the smallest change under which a moment would have worn a role, or been allowed an act',
    )
    .argument('<n>', 'number of the moment', parseNumber('N', { min: 1, max: 1_000_000_000, whole: true }))
    .option('--role <name>', 'the role: which part of its context would have to change')
    .option('--act <json>', 'the call of a verb: which permission would have to change')
    .action(
      cli.run(async (out, stance: string, n: number, { role, act, ...options }: WhyNotOptions) => {
        if ((role === undefined) === (act === undefined))
          throw new UsageError('why-not takes either --role or --act')
        const being = requireStance(stance)
        const changes =
          role === undefined ? await ofAct(options, being, n, act!) : await ofRole(options, being, n, role)
        out.value({ changes }, shownChanges)
      }),
    )
}

async function ofRole(options: InstanceOptions, being: string, n: number, role: string) {
  const { whyNotRole } = await import('@treeos/client/records')
  const { withReality } = await import('../instance/connection.ts')
  const { requireBeing } = await import('./shared/queries.ts')
  const answer = await withReality(options, async (at) => {
    await requireBeing(at, being)
    return whyNotRole(at.db, being, n, role)
  })
  if (answer.changes !== null) return answer.changes
  throw new TreeosError('ROLE_UNAVAILABLE', answer.message, { reason: answer.never })
}

async function ofAct(options: InstanceOptions, being: string, n: number, act: string) {
  const { parseCall } = await import('@treeos/core')
  const call = parseCall(requireJson(act, '--act'))
  const { whyNotAct } = await import('@treeos/replay')
  const { loadedRegistry, withReality } = await import('../instance/connection.ts')
  const { requireBeing } = await import('./shared/queries.ts')
  const registry = await loadedRegistry()
  const answer = await withReality(options, async (at) => {
    await requireBeing(at, being)
    return whyNotAct({ ...at, registry }, { being, n, call })
  })
  if (answer.changes !== null) return answer.changes
  throw new TreeosError(answer.code, `no permission would allow it: ${answer.message}`)
}
