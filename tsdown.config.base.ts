import { readFileSync } from 'node:fs'
import type { UserConfig } from 'tsdown'

/**
 * Builds the package in the current folder: every source its `exports` and `bin` name is an entry, and every file keeps its
 * place in dist.
 * @param programs other sources that are started by path, such as the child of a download: `src/<program>.ts`
 */
export function forPackage(...programs: string[]): UserConfig {
  const { exports = {}, bin = {} } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    'exports' | 'bin',
    Record<string, string> | undefined
  >
  const named = [...Object.values(exports), ...Object.values(bin)].filter((path) => path.endsWith('.ts'))
  return {
    entry: [...named, ...programs.map((program) => `src/${program}.ts`)],
    format: 'esm',
    platform: 'node',
    target: 'node22',
    unbundle: true,
    dts: true,
    sourcemap: true,
    fixedExtension: false,
    tsconfig: '../../tsconfig.base.json',
  }
}
