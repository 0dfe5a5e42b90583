using GamesLrs;
using UnityEngine;

/// <summary>Put it on any object of a scene, and call LevelWon, for instance from a button.</summary>
public class FirstStatement : MonoBehaviour
{
    static readonly Activity level = new Activity { Id = "level/1", Name = "Level 1", Type = "level" };
    Client lrs;
    float begun;

    void Start()
    {
        lrs = Client.Connect();
        if (!lrs.Launched) Debug.Log("There is no launch context: the game plays on, and nothing is reported.");
        lrs.Initialized(level);
        begun = Time.realtimeSinceStartup;
    }

    public void HalfWay()
    {
        lrs.Progressed(level, 0.5);
    }

    public void LevelWon()
    {
        lrs.Completed(level, new Result { Score = 0.8, Success = true, Seconds = Time.realtimeSinceStartup - begun });
    }
}
