import { expect, it } from 'vitest'
import { launchersAmong } from './launcher.ts'

const chain = (...commands: string[]) =>
  commands.map((command, i) => ({ pid: 100 - i, startedAt: `${i}`, command }))

const SCRIPT_SHELL = 'sh -c trap x INT; node apps/cli/src/main.ts up'

it.each([
  {
    how: 'npx pnpm start, from a shell',
    above: [SCRIPT_SHELL, 'pnpm start', "sh -c 'pnpm' start", 'npm exec pnpm@12.21.0 start', '-bash', 'sshd'],
    watched: 4,
  },
  {
    how: 'pnpm run by its path',
    above: [SCRIPT_SHELL, 'node /usr/lib/node_modules/pnpm/bin/pnpm.cjs start', 'zsh'],
    watched: 2,
  },
  { how: 'a shell in the background', above: ['/bin/bash -c treeos up &', 'login'], watched: 0 },
  { how: 'a login shell', above: ['-zsh', 'login'], watched: 0 },
  { how: 'a program', above: ['node harness.js', 'bash'], watched: 1 },
  { how: 'nobody we can see', above: [], watched: 0 },
])('started by $how, watches the $watched nearest above', ({ above, watched }) => {
  const ancestors = chain(...above)
  expect(launchersAmong(ancestors)).toEqual(ancestors.slice(0, watched))
})
