import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { serve } from '../served/serve.ts'
import { NAMESPACES, SIGNALS } from '../served/world.ts'
import { shownNamespaces } from '../show/world.ts'
import { addressOfStance, keysPressed, requireValue, splitKey } from '../text/input.ts'
import { prettyJson } from '../text/output.ts'
import { acts, doing, ROOT } from './shared/act.ts'

/** `treeos signal`: world signals, which every role flow can read. */
export function addSignal(cli: Cli): void {
  cli.describeGroup('signal', 'world signals, which every role flow can read')
  acts(
    cli,
    cli.asBeing('set <key> <json>', 'publish a value at NS.KEY; null removes it', 'signal'),
    (key: string, json: string) =>
      doing(ROOT, 'set-world-signal', { ...splitKey(key), value: requireValue(json, 'the value') }),
  )
  for (const [name, what] of [
    ['grant', 'let a being publish in a namespace that you own'],
    ['revoke', 'end what grant gave'],
  ] as const) {
    acts(
      cli,
      cli.asBeing(`${name} <namespace> <stance>`, what, 'signal'),
      (namespace: string, stance: string, options: ActingOptions) =>
        doing(ROOT, `${name}-namespace`, { namespace, being: addressOfStance(stance, options) }),
    )
  }
  cli.onInstance('owners [namespace]', 'show who publishes where', 'signal').action(
    cli.run(async (out, namespace: string | undefined, options: InstanceOptions) => {
      out.value(await serve(options, NAMESPACES, { namespace: namespace ?? null }), shownNamespaces)
    }),
  )
  cli.onInstance('get [key]', 'show published values: all, of a namespace, or at NS.KEY', 'signal').action(
    cli.run(async (out, key: string | undefined, options: InstanceOptions) => {
      const keys = key === undefined ? [] : keysPressed(key)
      out.value(await serve(options, SIGNALS, { keys }), prettyJson)
    }),
  )
}
