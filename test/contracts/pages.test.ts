import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

/** Paths in backticks that begin with one of our folders. */
const NAMED_PATH = /`((?:packages|apps|extensions|infra|test|scripts|docs|examples)\/[\w./-]+)`/g
const LINK = /\]\(([^)\s]+)\)/g

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

function faultOf(page: string, target: string): string | null {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? join(root, page) : join(root, dirname(page), path)
  if (!existsSync(file)) return `${target} does not exist`
  if (anchor === undefined) return null
  const headings = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^#+ /.test(line))
  return headings.map(anchorOf).includes(anchor) ? null : `${target} has no such heading`
}

it.each(pages)('every link, and every path in backticks, of %s leads to a file', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  const links = [...text.matchAll(LINK)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target))
  const paths = [...text.matchAll(NAMED_PATH)].map(([, path = '']) => path)
  const faults = [
    ...links.map((target) => faultOf(page, target)),
    ...paths.map((path) => (existsSync(join(root, path)) ? null : `${path} does not exist`)),
  ]
  expect(faults.filter((fault) => fault !== null)).toEqual([])
})
