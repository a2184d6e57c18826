#!/usr/bin/env node
// `bin/treeos.js` has checked the version of Node.
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { goToInstance, loadEnvironment } from './text/folder.ts'

enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'treeos', 'compiled'))
goToInstance(process.argv.slice(2))
const fault = loadEnvironment(process.env, join(process.cwd(), '.env'))
// stacks name the sources that a built file holds
if (process.env.TREEOS_DEBUG) process.setSourceMapsEnabled(true)
const { main } = await import('./run.ts') // compiled into the cache, and with the settings of the folder
await main(process.argv.slice(2), fault)
