import type { Sample } from './client-code.ts'
import { withClient, withFetch } from './reporting-code.ts'

/** Code for a game that the player or the sandbox launches: it needs no key, no secret and no address. */
export interface EngineSample extends Sample {
  /** Where the client for it comes from: a guide in /docs, or a file of the portal. */
  readonly from: { readonly href: string; readonly text: string } | undefined
}

const file = { href: '/client/games-lrs.js', text: 'Put games-lrs.js beside it' }
const godot = { href: '/docs/godot#install', text: 'Add the add-on to your project' }
const python = { href: '/docs/python#install', text: 'Put the folder games_lrs beside it' }
const unity = { href: '/docs/unity#five-minutes-to-the-first-statement', text: 'Add the package to your project' }

const gdscript = (node: string): string => `extends ${node}

func _ready():
	GamesLrs.open() # without a launch context the game plays on, and nothing is reported
	GamesLrs.initialized()

# call this when the level is won
func level_won():
	GamesLrs.completed("level-1", {"score": 0.8})`

interface Body extends EngineSample {
  /** How a comment begins. */
  readonly comment: string
}

const plain: readonly Body[] = [
  { name: 'JavaScript', from: file, comment: '//', code: withClient },
  { name: 'fetch, without our client', from: undefined, comment: '//', code: withFetch },
]

const engines: readonly Body[] = [
  {
    name: 'Phaser',
    from: file,
    comment: '//',
    code: `import * as Phaser from 'phaser'
import { connect } from './games-lrs.js'

const lrs = await connect() // without a launch context the game plays on, and nothing is reported
await lrs.initialized()

class Level extends Phaser.Scene {
  create() {
    this.add.text(20, 20, 'Click to win')
    this.input.once('pointerdown', () => lrs.completed({ id: 'level-1', name: 'Level 1' }, { score: 0.8 }))
  }
}
new Phaser.Game({ type: Phaser.AUTO, width: 400, height: 300, scene: Level })`,
  },
  {
    name: 'PixiJS',
    from: file,
    comment: '//',
    code: `import { Application, Text } from 'pixi.js'
import { connect } from './games-lrs.js'

const lrs = await connect() // without a launch context the game plays on, and nothing is reported
await lrs.initialized()

const app = new Application()
await app.init({ width: 400, height: 300 })
document.body.append(app.canvas)
const star = app.stage.addChild(new Text({ text: 'Click to win', style: { fill: 'white' } }))
star.eventMode = 'static'
star.once('pointertap', () => lrs.completed({ id: 'level-1', name: 'Level 1' }, { score: 0.8 }))`,
  },
  {
    name: 'three.js',
    from: file,
    comment: '//',
    code: `import * as THREE from 'three'
import { connect } from './games-lrs.js'

const lrs = await connect() // without a launch context the game plays on, and nothing is reported
await lrs.initialized()

const renderer = new THREE.WebGLRenderer()
renderer.setSize(400, 300)
document.body.append(renderer.domElement)
const scene = new THREE.Scene()
const camera = new THREE.PerspectiveCamera(50, 4 / 3)
camera.position.z = 3
scene.add(new THREE.Mesh(new THREE.BoxGeometry(), new THREE.MeshNormalMaterial()))
renderer.setAnimationLoop(() => renderer.render(scene, camera))

const ray = new THREE.Raycaster()
renderer.domElement.addEventListener('pointerdown', async ({ offsetX, offsetY }) => {
  ray.setFromCamera(new THREE.Vector2(offsetX / 200 - 1, 1 - offsetY / 150), camera)
  if (ray.intersectObjects(scene.children).length === 0) return
  await lrs.completed({ id: 'level-1', name: 'Level 1' }, { score: 0.8 })
})`,
  },
  { name: 'Godot 4', from: godot, comment: '#', code: gdscript('Node') },
  { name: 'Godot 3', from: godot, comment: '#', code: gdscript('Node') },
  {
    name: 'Python',
    from: python,
    comment: '#',
    code: `import games_lrs

lrs = games_lrs.connect()  # without a launch context the game plays on, and nothing is reported
lrs.initialized()


# call this when the level is won
def level_won():
    lrs.completed("level-1", {"score": 0.8})`,
  },
  {
    name: 'Unity',
    from: unity,
    comment: '//',
    code: `// save it as Reporting.cs, and add it to an object of your first scene
using GamesLrs;
using UnityEngine;

public class Reporting : MonoBehaviour
{
    Client lrs; // without a launch context the game plays on, and nothing is reported

    void Start()
    {
        lrs = Client.Connect();
        lrs.Initialized();
    }

    // call this when the level is won
    public void LevelWon()
    {
        lrs.Completed("level-1", new Result { Score = 0.8 });
    }
}`,
  },
]

const filled =
  (activity: string) =>
  ({ name, from, comment, code }: Body): EngineSample => ({
    name,
    from,
    code: `${comment} the game is ${activity}\n${comment} level-1 below is ${activity}/level-1\n${code}`,
  })

/** For every engine, with the ids of a game. @param activity IRI of the game as an activity */
export const engineSamples = (activity: string): EngineSample[] => engines.map(filled(activity))

/** The same, and for the web without an engine. */
export const gameSamples = (activity: string): EngineSample[] => [...plain, ...engines].map(filled(activity))
