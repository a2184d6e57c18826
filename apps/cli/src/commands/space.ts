import { parentPath, parseSpacePath } from '@treeos/core'
import type { ActingOptions, Cli } from '../cli.ts'
import { requireValue } from '../text/input.ts'
import { acts, doing, ROOT } from './shared/act.ts'

/** `treeos space | move` */
export function addSpace(cli: Cli): void {
  cli.describeGroup('space', 'spaces, where beings are')
  acts(
    cli,
    cli
      .asBeing('create <path>', 'create a space inside another', 'space')
      .option('--type <type>', 'its type'),
    (path: string, { type }: ActingOptions & { type?: string }) => {
      const space = parseSpacePath(path)
      const args = { path: space, ...(type === undefined ? {} : { type }) }
      return doing(parentPath(space) ?? ROOT, 'create-space', args)
    },
  )
  acts(
    cli,
    cli.asBeing('set <path> <key> <json>', 'set the quality NS.KEY of a space; null removes it', 'space'),
    (path: string, field: string, json: string) =>
      doing(path, 'set-space', { field, value: requireValue(json, 'the value') }),
  )
  acts(cli, cli.asBeing('move <path>', 'move into another space'), (path: string) => doing(path, 'move'))
}
