using System;
using System.Collections.Generic;
using System.Reflection;
using GamesLrs;
using UnityEngine;

/// <summary>Calls the layer for Unity as Unity does: by the names of its methods.</summary>
static class Engine
{
    static bool registered;

    /// <summary>Null: the layer fills it in.</summary>
    public static IHttp Http()
    {
        if (registered) return null;
        registered = true;
        foreach (var type in typeof(GamesLrs.Unity.UnityPlatform).Assembly.GetTypes())
            foreach (var method in type.GetMethods(BindingFlags.Static | BindingFlags.NonPublic))
                if (method.IsDefined(typeof(RuntimeInitializeOnLoadMethodAttribute), false)) method.Invoke(null, null);
        return null;
    }

    public static void Frame(Client client) { Send("Update"); }
    public static void Pause(Client client) { Send("OnApplicationFocus", false); }
    public static void Quit(Client client) { Send("OnApplicationQuit"); }

    static void Send(string message, params object[] parameters)
    {
        foreach (var behaviour in GameObject.Behaviours)
            behaviour.GetType().GetMethod(message, BindingFlags.Instance | BindingFlags.NonPublic).Invoke(behaviour, parameters);
    }
}
