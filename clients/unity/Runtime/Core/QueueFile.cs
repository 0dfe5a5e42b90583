using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;

namespace GamesLrs
{
    /// <summary>
    /// A queue on disk: a log with a line for each statement, and "-n" when the first n are done. Every write is handed to the
    /// system before the call returns, so it outlives a kill; a line that was torn by one is dropped.
    /// </summary>
    sealed class QueueFile : IDisposable
    {
        /// <summary>Bytes of what is done that may lie in the file.</summary>
        const long MostDone = 4 * 1024 * 1024;
        readonly string path;
        readonly QueueLock held;
        FileStream log;
        /// <summary>Bytes, and lines of which the file does not know it yet.</summary>
        long done;
        int unwritten;

        public QueueFile(string path, QueueLock held)
        {
            this.path = path;
            this.held = held;
            log = OpenLog();
        }

        /// <summary>A process was killed between the two steps of Rewrite.</summary>
        public static void Recover(string path)
        {
            if (!File.Exists(path) && File.Exists(path + ".new")) File.Move(path + ".new", path);
        }

        FileStream OpenLog()
        {
            Recover(path);
            // without a buffer: what could not be written must not come later
            var stream = new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read, 1);
            stream.Seek(0, SeekOrigin.End);
            return stream;
        }

        /// <summary>What waits in this file, which loses what is done or was torn.</summary>
        public List<byte[]> Read()
        {
            long whole;
            var left = Read(path, out whole);
            if (whole < log.Length) Truncate(whole);
            if (whole > 0) TryRewrite(left);
            return left;
        }

        /// <summary>False: the disk is full, and it goes on with the file as it is.</summary>
        public bool TryRewrite(List<byte[]> waiting)
        {
            try { Rewrite(waiting); return true; }
            catch (IOException) { return false; }
        }

        /// <param name="whole">bytes up to the end of the last whole line</param>
        public static List<byte[]> Read(string path, out long whole)
        {
            var left = new List<byte[]>();
            var bytes = Bytes(path);
            var start = 0;
            for (int end; (end = Array.IndexOf(bytes, (byte)'\n', start)) >= 0; start = end + 1)
            {
                var line = new byte[end - start];
                Array.Copy(bytes, start, line, 0, line.Length);
                int count;
                if (line.Length > 0 && line[0] == '-' && int.TryParse(Encoding.ASCII.GetString(line, 1, line.Length - 1),
                    NumberStyles.None, CultureInfo.InvariantCulture, out count))
                    left.RemoveRange(0, Math.Min(count, left.Count));
                else left.Add(line);
            }
            whole = start;
            left.RemoveAll(line => Json.ReadObject(Encoding.UTF8.GetString(line)) == null);
            return left;
        }

        static byte[] Bytes(string path)
        {
            using (var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite))
            using (var bytes = new MemoryStream())
            {
                stream.CopyTo(bytes);
                return bytes.ToArray();
            }
        }

        /// <summary>False: the disk is full or gone, and the file is as it was.</summary>
        public bool Append(byte[] json)
        {
            var line = new byte[json.Length + 1];
            json.CopyTo(line, 0);
            line[json.Length] = (byte)'\n';
            return Write(line);
        }

        /// <summary>The first ones of the file are done. Where it cannot be written they are sent once more, with their ids.</summary>
        public void Removed(int count, long bytes, bool all)
        {
            if (log == null) return;
            if (all && Truncate(0)) { unwritten = 0; done = 0; return; }
            unwritten += count;
            done += bytes;
            if (unwritten > 0 && Write(Encoding.ASCII.GetBytes("-" + unwritten.ToString(CultureInfo.InvariantCulture) + "\n")))
                unwritten = 0;
        }

        public bool IsLong { get { return log != null && done > MostDone && done > log.Length / 2; } }

        /// <summary>Rewrites the file with what waits. The old file is there until the new one is whole.</summary>
        public void Rewrite(IEnumerable<byte[]> waiting)
        {
            try { WriteAll(path + ".new", waiting); }
            catch (IOException)
            {
                File.Delete(path + ".new"); // of a full disk
                throw;
            }
            log.Dispose();
            log = null;
            File.Delete(path);
            log = OpenLog();
            done = unwritten = 0;
        }

        static void WriteAll(string path, IEnumerable<byte[]> waiting)
        {
            using (var stream = new FileStream(path, FileMode.Create, FileAccess.Write))
            {
                foreach (var json in waiting)
                {
                    stream.Write(json, 0, json.Length);
                    stream.WriteByte((byte)'\n');
                }
                stream.Flush(true);
            }
        }

        bool Write(byte[] line)
        {
            if (log == null) return false;
            long end = -1;
            try
            {
                end = log.Length;
                log.Write(line, 0, line.Length);
                log.Flush();
                return true;
            }
            catch (IOException)
            {
                if (end >= 0) Truncate(end);
                return false;
            }
        }

        bool Truncate(long length)
        {
            try
            {
                log.SetLength(length);
                log.Seek(0, SeekOrigin.End);
                return true;
            }
            catch (IOException) { return false; }
        }

        public void Dispose()
        {
            if (log != null) log.Dispose();
            held.Dispose();
        }
    }
}
