using GamesLrs;

/// <summary>A game without an engine: it calls the client by itself.</summary>
static class Engine
{
    public static IHttp Http() { return new DotNetHttp(); }
    public static void Frame(Client client) { client.Tick(); }
    public static void Pause(Client client) { client.Pause(); }
    public static void Quit(Client client) { client.Quit(); }
}
