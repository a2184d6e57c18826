import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startCluster } from '/tmp/wt/scale/bench/src/scale/cluster.ts'
import { withServices } from '/tmp/wt/scale/bench/src/services.ts'

process.env.TREEOS_OWN_TEMPORAL = '1'
await withServices(console.error, async (services) => {
  const cluster = await startCluster(services, 16)
  const child = spawn(process.execPath, ['scripts/check.ts', 'services', ...process.argv.slice(2)], {
    cwd: '/tmp/wt/scale',
    env: { ...process.env, ...cluster.env },
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  console.error('tests ended with', code)
})
process.exit(0)
