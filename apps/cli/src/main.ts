#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { loadEnvironment } from './environment.ts'

enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'treeos', 'compiled'))
loadEnvironment(process.env, join(process.cwd(), '.env'))
const { main } = await import('./run.ts')
await main(process.argv.slice(2))
