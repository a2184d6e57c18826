import type { Cli, InstanceOptions } from '../cli.ts'
import { withReality } from '../instance/with-instance.ts'
import { shownDifferent, shownDiscarded, shownForked } from '../show/forks.ts'
import { UsageError } from '../text/failure.ts'

interface ForkOptions extends InstanceOptions {
  readonly at?: string
  readonly discard?: boolean
}

/** `treeos fork | diff`: another reality with the same past, and where two realities differ. */
export function addFork(cli: Cli): void {
  cli
    .onInstance('fork <name>', 'make a reality that shares the past of this one up to a moment')
    .option('--at <stance:n>', 'the last moment that both share, as in @guard:3')
    .option('--discard', 'delete the fork of this name')
    .action(
      cli.run(async (out, name: string, { at, discard, ...options }: ForkOptions) => {
        if ((at === undefined) === (discard !== true))
          throw new UsageError('fork takes either --at STANCE:N or --discard')
        const { discardFork, makeFork, requireForkName, requireMoment } = await import('../instance/forks.ts')
        const { instanceDir } = await import('@treeos/local')
        const dataDir = instanceDir(options)
        requireForkName(name)
        if (at === undefined) {
          await discardFork(dataDir, name)
          return out.value({ discarded: name }, shownDiscarded)
        }
        const moment = requireMoment(at)
        const onProgress = (line: string) => out.progress(line)
        const forked = await out.spinning(() => makeFork(options, { dataDir, name, ...moment, onProgress }))
        const { shellWord } = await import('@treeos/local')
        return out.value(forked, (made) => shownForked(made, shellWord(made.data)))
      }),
    )

  cli.onInstance('diff <a> <b>', 'list where two realities differ: reels, rows and moments').action(
    cli.run(async (out, a: string, b: string, options: InstanceOptions) => {
      const { compareRealities } = await import('@treeos/proofs')
      const { folderOfReality } = await import('../instance/forks.ts')
      const [inA, inB] = await Promise.all([folderOfReality(options, a), folderOfReality(options, b)])
      await withReality(inA, ({ db: first }) =>
        withReality(inB, async ({ db: second }) => {
          let count = 0
          for await (const difference of compareRealities(first, second)) {
            count += 1
            out.value(difference, shownDifferent)
            await out.drained()
            if (out.isGone) return
          }
          if (count === 0 && !out.json) out.progress('they do not differ')
        }),
      )
    }),
  )
}
