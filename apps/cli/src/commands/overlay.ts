import type { Command } from 'commander'
import type { ActingOptions, Cli } from '../cli.ts'
import { serve } from '../served/serve.ts'
import { DELETE_OVERLAY, OVERLAYS, SET_OVERLAY } from '../served/world.ts'
import { shownOverlay, shownOverlays } from '../show/overlays.ts'
import { overlayOf, readText, requireStance } from '../text/input.ts'

interface SetOptions extends ActingOptions {
  readonly channel?: string
  readonly signature?: readonly string[]
}

/** `treeos overlay`: text for later calls of models, stored for the reality, a person or a channel. */
export function addOverlay(cli: Cli): void {
  cli.describeGroup('overlay', 'overlays: text for each call of a model, never recorded')
  cli.asBeing('list', 'list the overlays that you may read', 'overlay').action(
    cli.run(async (out, options: ActingOptions) => {
      const as = requireStance(options.as)
      out.value(await serve(options, OVERLAYS, { as }), shownOverlays)
    }),
  )
  ofChannel(
    cli.asBeing(
      'set <tier> <name> <file>',
      'store an overlay of the workspace, your account or a channel\nThe file - is standard input.',
      'overlay',
    ),
  )
    .option('--signature <names...>', 'the Signatures that it attaches to (default: the entry Signature)')
    .action(
      cli.run(async (out, tier: string, name: string, file: string, options: SetOptions) => {
        const { channel, signature } = options
        const request = { tier, name, channel, as: requireStance(options.as) }
        const content = await readText(file)
        const overlay = signature === undefined ? { content } : { content, appliesTo: [...signature] }
        out.value(await serve(options, SET_OVERLAY, { ...request, overlay }), shownOverlay)
      }),
    )
  ofChannel(cli.asBeing('delete <tier> <name>', 'delete a stored overlay', 'overlay')).action(
    cli.run(async (out, tier: string, name: string, { channel, ...options }: SetOptions) => {
      const request = { tier, name, channel, as: requireStance(options.as) }
      const deleted = await serve(options, DELETE_OVERLAY, request)
      out.value(deleted, () => `the overlay ${deleted.name} of the ${deleted.tier} is deleted`)
    }),
  )
}

const ofChannel = (command: Command): Command =>
  command.option('--channel <name>', 'the channel, where it has another name than the overlay')

/** `treeos verify-overlay`: needs no services. */
export function addVerifyOverlay(cli: Cli): void {
  cli
    .command(
      'verify-overlay <commitment> <text>',
      'check that a recorded commitment is of an overlay\nThe text - is read from standard input.',
    )
    .requiredOption('--salt <salt>', 'the salt that the summon printed')
    .action(
      cli.run(async (out, commitment: string, text: string, { salt }: { readonly salt: string }) => {
        const { checkCommitment } = await import('@treeos/overlay')
        const ok = checkCommitment(commitment, salt, await overlayOf(text))
        out.value({ ok }, () =>
          ok ? 'the commitment is of this overlay' : 'the commitment is not of this overlay under this salt',
        )
        return ok ? 0 : 1
      }),
    )
}
