import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DataConverter } from '@temporalio/client'
import { LocalError, messageOf } from '../machine/error.ts'
import { RemoteCodec } from './remote-codec.ts'

const MODULE = 'TREEOS_DATA_CONVERTER'
const INVALID = { code: 'INVALID_INPUT' } as const

/**
 * How payloads are converted on their way to Temporal and back: as the module that TREEOS_DATA_CONVERTER names
 * says, else as the codec server at TEMPORAL_CODEC_ENDPOINT does, with TEMPORAL_CODEC_AUTH as its
 * Authorization. The default export of the module is a data converter of Temporal's SDK, or makes one of the
 * environment.
 * @returns undefined where nothing is named: payloads are plain JSON
 * @throws {LocalError} INVALID_INPUT for what is no data converter
 */
export async function readDataConverter(
  env: NodeJS.ProcessEnv,
  namespace: string,
): Promise<DataConverter | undefined> {
  const { [MODULE]: name, TEMPORAL_CODEC_ENDPOINT: endpoint, TEMPORAL_CODEC_AUTH: auth } = env
  if (name) return loadModule(name, env)
  if (!endpoint) return undefined
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new LocalError(
      `TEMPORAL_CODEC_ENDPOINT is ${endpoint}: it takes the URL of a codec server, as in https://codec.example.com`,
      INVALID,
    )
  return { payloadCodecs: [new RemoteCodec({ endpoint, auth: auth || null, namespace })] }
}

/** The absolute path of the named module, so that processes that start in another folder find it. */
export const absoluteDataConverter = (name: string): string => locate(name)

async function loadModule(name: string, env: NodeJS.ProcessEnv): Promise<DataConverter> {
  const { default: given } = (await import(pathToFileURL(locate(name)).href).catch((error: unknown) => {
    throw wrongModule(name, `cannot be loaded: ${messageOf(error)}`)
  })) as { default?: unknown }
  const converter: unknown = typeof given === 'function' ? await given(env) : given
  if (isDataConverter(converter)) return converter
  throw wrongModule(
    name,
    'has no data converter as its default export: an object with `payloadCodecs`, `payloadConverterPath` or `failureConverterPath`, ' +
      'or a function of the environment that gives one',
  )
}

function locate(name: string): string {
  if (/^[./]/.test(name)) return resolve(name)
  try {
    return createRequire(join(process.cwd(), 'package.json')).resolve(name)
  } catch {
    throw wrongModule(
      name,
      `is not a package that ${process.cwd()} has installed; a path begins with ./ or /`,
    )
  }
}

const PATHS = ['payloadConverterPath', 'failureConverterPath'] as const

function isDataConverter(value: unknown): value is DataConverter {
  if (typeof value !== 'object' || value === null) return false
  const { payloadCodecs: codecs = [], ...rest } = value as Record<string, unknown>
  const paths = PATHS.map((name) => rest[name]).filter((path) => path !== undefined)
  const isOne = 'payloadCodecs' in value || paths.length > 0
  return (
    isOne &&
    paths.every((path) => typeof path === 'string') &&
    Array.isArray(codecs) &&
    codecs.every((codec) => ['encode', 'decode'].every((method) => typeof codec?.[method] === 'function'))
  )
}

const wrongModule = (name: string, why: string): LocalError =>
  new LocalError(`${MODULE}: ${JSON.stringify(name)} ${why}`, INVALID)
