import { expect, it } from 'vitest'
import { createCli } from '../program.ts'
import { Output } from '../text/output.ts'
import { entriesOfTopic, firstPage, leaves, topicPage, visibleIn } from './pages.ts'
import { FIRST_PAGE, TOPIC_NAMES, TOPICS } from './places.ts'

/** A terminal of this size shows the whole first page. */
const LINES_MAX = 40
const COLUMNS_MAX = 100
const SUMMARY_COLUMNS_MAX = 70

const { program } = createCli(new Output(false))
const uncoloured = { title: (text: string) => text, command: (text: string) => text }
const placesOnFirstPage = FIRST_PAGE.flatMap(({ commands }) => commands)
const places = [...placesOnFirstPage, ...TOPIC_NAMES.flatMap((topic) => TOPICS[topic].commands)]

/** The places under which a command is listed: its own, else those of its group. */
function placesOf(path: string): string[] {
  const own = places.filter((place) => place === path)
  return own.length > 0 ? own : places.filter((place) => path.startsWith(`${place} `))
}

it('the first page fits one screen', () => {
  const lines = firstPage(program, uncoloured).trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(LINES_MAX)
  expect(lines.filter((line) => line.length > COLUMNS_MAX)).toEqual([])
  expect(FIRST_PAGE).toHaveLength(5)
})

it.each(TOPIC_NAMES)('the page of %s is not wider than a terminal', (topic) => {
  const lines = topicPage(program, topic, uncoloured).split('\n')
  expect(lines.filter((line) => line.length > COLUMNS_MAX)).toEqual([])
})

it.each(leaves(program).map(({ path }) => path))('%s has one place in the help', (path) => {
  expect(placesOf(path)).toHaveLength(1)
})

it.each(places)('the place %s is of a command', (place) => {
  expect(leaves(program).filter(({ path }) => placesOf(path).includes(place))).not.toEqual([])
})

it('the topics list every command that the first page does not', () => {
  const listed = TOPIC_NAMES.flatMap((topic) => entriesOfTopic(program, topic).map(({ name }) => name))
  const all = leaves(program).map(({ path }) => path)
  const first = all.filter((path) => placesOf(path).every((place) => placesOnFirstPage.includes(place)))
  expect([...listed, ...first].sort()).toEqual(all.sort())
})

it('no topic has the name of a command', () => {
  const names = visibleIn(program).map((command) => command.name())
  expect(TOPIC_NAMES.filter((topic) => names.includes(topic))).toEqual([])
})

it.each([...leaves(program), ...visibleIn(program).map((command) => ({ path: command.name(), command }))])(
  'the summary of $path is one short line',
  ({ command }) => {
    expect(command.summary()).toMatch(/^\S.+\S$/)
    expect(command.summary().length).toBeLessThanOrEqual(SUMMARY_COLUMNS_MAX)
  },
)
