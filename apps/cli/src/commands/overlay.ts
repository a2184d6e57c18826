import type { Command } from 'commander'
import type { ActingOptions, Cli } from '../cli.ts'
import { readText, requireStance } from '../text/input.ts'
import { shownOverlay, shownOverlays } from './shared/show-overlays.ts'

interface SetOptions extends ActingOptions {
  readonly channel?: string
  readonly signature?: readonly string[]
}

/** `treeos overlay`: text for later calls of models, stored for the reality, a person or a channel. */
export function addOverlay(cli: Cli): void {
  cli.describeGroup('overlay', 'stored overlays: text for each call of a model, never part of the record')
  cli.asBeing('list', 'list the overlays that you may read', 'overlay').action(
    cli.run(async (out, options: ActingOptions) => {
      const as = requireStance(options.as)
      const { overlays } = await import('@treeos/client/records')
      const { withReality } = await import('../instance/connection.ts')
      out.value(await withReality(options, (at) => overlays(at, as)), shownOverlays)
    }),
  )
  ofChannel(
    cli.asBeing(
      'set <tier> <name> <file>',
      'store an overlay of the workspace, your account or a channel; - reads standard input',
      'overlay',
    ),
  )
    .option('--signature <names...>', 'the Signatures that it attaches to (default: the entry Signature)')
    .action(
      cli.run(async (out, tier: string, name: string, file: string, options: SetOptions) => {
        const { channel, signature } = options
        const as = requireStance(options.as)
        const { setOverlay } = await import('@treeos/client/records')
        const { withReality } = await import('../instance/connection.ts')
        const overlay = {
          content: await readText(file),
          ...(signature === undefined ? {} : { appliesTo: [...signature] }),
        }
        const set = await withReality(options, (at) => setOverlay(at, { tier, name, channel, as }, overlay))
        out.value(set, shownOverlay)
      }),
    )
  ofChannel(cli.asBeing('delete <tier> <name>', 'delete a stored overlay', 'overlay')).action(
    cli.run(async (out, tier: string, name: string, options: SetOptions) => {
      const { channel } = options
      const as = requireStance(options.as)
      const { deleteOverlay } = await import('@treeos/client/records')
      const { withReality } = await import('../instance/connection.ts')
      const deleted = await withReality(options, (at) => deleteOverlay(at, { tier, name, channel, as }))
      out.value(deleted, () => `the overlay ${deleted.name} of the ${deleted.tier} is deleted`)
    }),
  )
}

const ofChannel = (command: Command): Command =>
  command.option('--channel <name>', 'the channel, where it has another name than the overlay')
