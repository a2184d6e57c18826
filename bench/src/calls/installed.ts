import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packagesWithin, pnpm, publishable, root, stage } from '../../../scripts/packages.ts'

/**
 * Builds the packages and lays them out as npm installs them, with the third-party packages of the checkout.
 * @returns the program of the command line
 */
export function installed(folder: string): string {
  execFileSync(pnpm, ['run', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  for (const one of publishable()) {
    const to = join(folder, 'node_modules', one.manifest.name)
    stage(one, to)
    const known = packagesWithin(one).flatMap((part) => packagesIn(join(root, part.folder, 'node_modules')))
    for (const [name, at] of known.filter(([name]) => !name.startsWith('@treeos/'))) {
      const link = join(to, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      if (!existsSync(link)) symlinkSync(realpathSync(at), link)
    }
  }
  return join(folder, 'node_modules/@treeos/cli/bin/treeos.js')
}

/** By name, where each lies. */
function packagesIn(folder: string): [string, string][] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []
  return names
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((inner) => `${name}/${inner}`) : [name],
    )
    .map((name) => [name, join(folder, name)])
}
