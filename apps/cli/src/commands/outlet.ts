import { quote } from '@treeos/core'
import type { ActingOptions, Cli } from '../cli.ts'
import { shownHook, shownHooks, shownOutlet, shownOutlets } from '../show/outlets.ts'
import { UsageError } from '../text/failure.ts'
import { requireStance } from '../text/input.ts'

const loaded = async () => ({
  ...(await import('../instance/over-person.ts')),
  portal: await import('@treeos/portal'),
})

/** `treeos outlet | hook`: ways out of an inbox, and ways in, beside the page and access tokens. */
export function addOutlet(cli: Cli): void {
  cli.describeGroup('outlet', 'tell a person by a webhook or by e-mail what waits in its inbox')
  addTold(cli)
  addKept(cli)
  cli.describeGroup('hook', 'let a program act as a person by a signed webhook')
  addHooks(cli)
}

function addTold(cli: Cli): void {
  cli
    .asBeing('add <url-or-address>', 'tell a URL, or an address of e-mail, what waits in the inbox', 'outlet')
    .option('--wants <list>', 'of question, answer, notice, approval, with commas between (default: all)')
    .action(
      cli.run(async (out, address: string, { wants, ...options }: ActingOptions & { wants?: string }) => {
        const as = requireStance(options.as)
        const { overOutlets, portal } = await loaded()
        const kind = address.includes('://') ? ('webhook' as const) : ('email' as const)
        const wanted = {
          kind,
          address,
          ...(wants === undefined ? {} : { wants: wantsIn(wants, portal.WANTS) }),
        }
        const made = await overOutlets(options, as, (place) => portal.addOutlet(place, as, wanted))
        out.value(made, shownOutlet)
      }),
    )
  cli.asBeing('confirm <id> <code>', 'give the code that an address of e-mail was sent', 'outlet').action(
    cli.run(async (out, id: string, code: string, options: ActingOptions) => {
      const as = requireStance(options.as)
      const { overOutlets, portal } = await loaded()
      await overOutlets(options, as, (place) => portal.confirmOutlet(place, as, { id, code }))
      out.value({ id, confirmed: true }, () => 'it is told what waits from now on')
    }),
  )
}

function addKept(cli: Cli): void {
  cli.asBeing('list', 'list where a person is told, and what could not be told', 'outlet').action(
    cli.run(async (out, options: ActingOptions) => {
      const as = requireStance(options.as)
      const { overOutlets, portal } = await loaded()
      out.value(await overOutlets(options, as, (place) => portal.listOutlets(place, as)), shownOutlets)
    }),
  )
  cli.asBeing('retry <id>', 'try again what was given up', 'outlet').action(
    cli.run(async (out, id: string, options: ActingOptions) => {
      const as = requireStance(options.as)
      const { overOutlets, portal } = await loaded()
      const retried = await overOutlets(options, as, (place) => portal.retryOutlet(place, as, id))
      out.value({ retried }, () => `${retried} are tried again`)
    }),
  )
  cli.asBeing('remove <id>', 'tell it nothing more', 'outlet').action(
    cli.run(async (out, id: string, options: ActingOptions) => {
      const as = requireStance(options.as)
      const { overOutlets, portal } = await loaded()
      await overOutlets(options, as, (place) => portal.removeOutlet(place, as, id))
      out.value({ id, removed: true }, () => 'it is told nothing more')
    }),
  )
}

interface HookOptions extends ActingOptions {
  readonly summon?: string
  readonly signal?: string
}

function addHooks(cli: Cli): void {
  cli
    .asBeing('add <name>', 'make a hook; its secret is derived, and shown here', 'hook')
    .option('--summon <stance>', 'what comes is said to this being')
    .option('--signal <key>', 'what comes is published as this world signal, as in ci.build')
    .action(
      cli.run(async (out, name: string, { summon, signal, ...options }: HookOptions) => {
        const as = requireStance(options.as)
        if ((summon === undefined) === (signal === undefined))
          throw new UsageError('a hook takes either --summon or --signal')
        const { overOutlets, portal } = await loaded()
        const does = summon === undefined ? { signal: signal ?? '' } : { summon }
        const made = await overOutlets(options, as, (place) => portal.addHook(place, as, { name, does }))
        out.value({ ...made, path: `${portal.HOOKS_PATH}/${made.id}` }, shownHook)
      }),
    )
  cli.asBeing('list', 'list the hooks of a person', 'hook').action(
    cli.run(async (out, options: ActingOptions) => {
      const as = requireStance(options.as)
      const { overOutlets, portal } = await loaded()
      out.value(await overOutlets(options, as, (place) => portal.listHooks(place, as)), shownHooks)
    }),
  )
  cli.asBeing('remove <id>', 'take a hook away', 'hook').action(
    cli.run(async (out, id: string, options: ActingOptions) => {
      const as = requireStance(options.as)
      const { overOutlets, portal } = await loaded()
      await overOutlets(options, as, (place) => portal.removeHook(place, as, id))
      out.value({ id, removed: true }, () => 'nobody acts by it any more')
    }),
  )
}

function wantsIn<T extends string>(text: string, known: readonly T[]): T[] {
  return text.split(',').map((word) => {
    const want = known.find((one) => one === word.trim())
    if (want !== undefined) return want
    throw new UsageError(`--wants: ${quote(word.trim())} is not one of ${known.join(', ')}`)
  })
}
